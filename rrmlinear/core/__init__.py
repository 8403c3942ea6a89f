"""Below all mathematics: shuffles, selection, stores of blocks, time limits, Ctrl-C, BLAS."""
