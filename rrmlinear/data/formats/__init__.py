"""Files of examples that are no LIBSVM text: one table of formats, a reader each, one way in."""
