"""`python -m rrmlinear.train`."""
