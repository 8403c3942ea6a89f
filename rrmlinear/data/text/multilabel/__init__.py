"""Text of examples with any number of labels: LIBSVM text whose labels are separated by commas, and
tab-separated lines of labels and text.
"""
