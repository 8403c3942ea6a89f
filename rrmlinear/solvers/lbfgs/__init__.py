"""L-BFGS about a metric, for one smooth risk or several problems at once."""
