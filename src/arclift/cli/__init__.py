"""The command line: one thin module a command, each calling what the library offers."""

import os

# Matrices here are small: threads of BLAS lose more by waiting for each other than they gain, and with only
# one the sums, and so what training comes to, do not hang on the number of cores. NumPy looks when imported.
for _library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
