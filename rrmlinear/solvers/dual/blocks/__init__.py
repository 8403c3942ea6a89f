"""The ascent by blocks, for losses of several scores: visits of whole blocks and of their faces,
and passes over busy examples alone.
"""
