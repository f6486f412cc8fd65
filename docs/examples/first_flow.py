"""Read, learn, audit and replay: what the commands do, in Python."""

from stretto import audit, learn_flow, read, replay, totals, write_flow
from stretto.traces.reader import Ledger

ledger = Ledger()
episodes = list(read(["demo/sessions"], ledger=ledger))
learned = learn_flow(episodes, ledger.manifest, contracts=ledger.contracts)
write_flow(learned.flow, "shop.flow.json")

held_out = list(read(["demo/held-out"]))
fit = audit(learned.flow, held_out)
saved = totals(replay(learned.flow, held_out))
print(f"{fit.agreement:.1%} of {fit.decisions} decisions agree")
print(f"{saved.turns_saved} of {saved.turns} turns saved, {saved.detours} detours")
