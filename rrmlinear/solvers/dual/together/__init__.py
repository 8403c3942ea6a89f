"""Ascent on all duals at once: dual steps of all examples, and the ascent along them."""
