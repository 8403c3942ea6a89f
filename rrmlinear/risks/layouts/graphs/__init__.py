"""Labels on the nodes of trees and decomposable graphs: cliques in an order for messages, sums and
maxima over all labellings, and the risks of conditional random fields and max-margin networks.
"""
