"""Model files: LIBLINEAR's text format, and its lines for models that LIBLINEAR does not have."""
