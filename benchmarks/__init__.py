"""`make bench`: seeded text in the proportions of English, and programs that time Hexad
on it.
"""

import os

# Before anybody loads numpy. A second thread of BLAS spins for 4 to 6 ms after a
# product: up to half of the CPU time that `semantic` counted for the question after it
# was not the question's.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
