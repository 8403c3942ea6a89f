"""Labels of the positions of sequences and of the nodes of graphs: conditional random fields and
max-margin networks over features, or over functions of a kernel.
"""
