"""How far what a flow saves hangs on what is not known of its concentration."""

import sys

import numpy as np

from stretto import read, read_flow
from stretto.evaluate.concentrated import likely_alphas, savings

flow = read_flow(sys.argv[1])
alphas = likely_alphas(flow, read([sys.argv[2]]), 20)
found = savings(flow, read([sys.argv[3]]), alphas)
low, high = found.interval()
median = np.median(found.share())
print(f"α from {alphas[0]:.2f} to {alphas[-1]:.2f}")
print(f"saves {median:.1%} of turns, 95% from {low:.1%} to {high:.1%}")
