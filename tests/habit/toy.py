"""The worked example of the habit: two episodes, one of which writes."""

from stretto.episodes.vocabulary import symbol
from stretto.habit.encode import Encoded

RESPOND, CANCEL, FIND, GET = range(4)
VOCAB_SIZE = 5
WRITES = {CANCEL}

REPLY = symbol(RESPOND, 2)
END = symbol(RESPOND, 3)
FOUND, GOT, CANCELLED = symbol(FIND, 0), symbol(GET, 0), symbol(CANCEL, 0)
FIND_FAILED, GET_FAILED = symbol(FIND, 1), symbol(GET, 1)

E1 = Encoded(
    "1",
    (RESPOND, FIND, GET, GET, RESPOND, CANCEL, RESPOND),
    (REPLY, FOUND, GOT, GOT, REPLY, CANCELLED, END),
)
E2 = Encoded("2", (RESPOND, FIND, GET, RESPOND), (REPLY, FOUND, GOT, END))
