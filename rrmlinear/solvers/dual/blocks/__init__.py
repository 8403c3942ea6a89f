"""The ascent by blocks, for losses of several scores: visits of whole blocks and of their faces,
passes over busy examples alone, and exact intercepts.
"""
