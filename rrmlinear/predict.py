"""`python -m rrmlinear.predict`."""
