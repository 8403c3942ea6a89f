"""Below all mathematics: seeded shuffles, selection, stores of blocks, the deadline, threads of BLAS."""
