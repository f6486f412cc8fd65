"""A flow with a threshold of its own at one site."""

import sys
from dataclasses import replace

from stretto import read_flow, write_flow

before, site, threshold, after = sys.argv[1:]
flow = read_flow(before)
thresholds = {**flow.thresholds, site: float(threshold)}
write_flow(replace(flow, thresholds=thresholds), after)
