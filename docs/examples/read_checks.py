"""What guards said of each call, from the log of their checks."""

import json
import sys
from pathlib import Path

for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    told = json.loads(line)
    what = "refused" if told["refused"] else "passed on"
    print(f"{told['tool']} {json.dumps(told['arguments'])}: {what}")
    for rule, verdict in told["verdicts"].items():
        why = told["reasons"].get(rule, "")
        print(f"  {rule}: {verdict}{why and f', {why}'}")
