"""Labels along sequences, each beside its neighbours: sums and maxima over all labellings, and the
risks of conditional random fields and max-margin Markov networks.
"""
