"""Classes of the order of examples: measures of all labels at once, ranks within queries, and
times to an event.
"""
