"""The one outer loop and what every solver shares: stopping, the result, the certificate, threads,
and the searches and mixings that several solvers use.
"""
