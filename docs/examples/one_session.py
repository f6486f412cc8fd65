"""What a flow finds likely along one session, beside what the agent did."""

import sys

from stretto import read, read_flow
from stretto.evaluate.decisions import Scored, decisions
from stretto.flow.deciders.decider import decider

flow = read_flow(sys.argv[1])
[episode] = read(sys.argv[2:])
for point in decisions(flow, decider(flow, "habit"), episode):
    if isinstance(point, Scored):
        likeliest = f"{point.top} {point.probabilities[point.top]:.2f}"
        did = f"{point.actual} {point.p_actual:.2f}"
        print(f"after {point.site}: likeliest {likeliest}, the agent's {did}")
