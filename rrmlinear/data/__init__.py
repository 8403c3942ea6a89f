"""Examples and labels: the Problem, and the LIBSVM format it is read from and written to."""
