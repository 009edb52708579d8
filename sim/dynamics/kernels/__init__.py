"""Machine code of one state, by numba; `compiling` documents how, also without numba."""
