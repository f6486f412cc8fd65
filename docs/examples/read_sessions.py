"""What reading brought to light: the sessions, the tools, the problems."""

import sys

from stretto import read
from stretto.traces.reader import Ledger, ReadOptions

ledger = Ledger()
options = ReadOptions(domain="library", reward_field="passed")
for episode in read(sys.argv[1:], options=options, ledger=ledger):
    print(episode.id, episode.task, episode.reward, len(episode.turns))
print("tools:", ", ".join(ledger.manifest.tools))
for problem in ledger.problems:
    print("problem:", problem)
