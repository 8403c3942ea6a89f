"""Loops over the losses of all examples at once: values, derivatives, conjugates and dual steps."""
