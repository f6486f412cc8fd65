"""What a flow decided, from the log of its decisions."""

import json
import sys
from pathlib import Path

for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    told = json.loads(line)
    if "run" in told:
        print(f"behind call {told['after']}: over")
    elif told["action"] == "hand_back":
        print(f"{told['address']} at {told['site']}: hands back, {told['reason']}")
    else:
        sure = told["probs"][told["tool"]] * told["binding"]
        made = f"{told['tool']} {json.dumps(told['arguments'])} at {sure:.2f}"
        held = told.get("withheld", "in shadow" if told.get("shadow") else "made")
        print(f"{told['address']} at {told['site']}: {made}, {held}")
