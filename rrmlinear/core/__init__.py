"""Below all mathematics: shuffles, selection, stores of blocks, deadlines, threads of BLAS."""
