"""`LinearClassifier` and `LinearRegressor` over the workers of a Dask cluster."""
