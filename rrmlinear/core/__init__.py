"""Numbers only: rows, class-block kernels, scalar functions, seeded shuffles."""
