"""
Exact draws of counts, by halving: a few variates however large the count.

[Ahrens, Dieter 1974]
"""

from random import Random

_SMALL = 16


def successes(trials: int, p: float, random: Random) -> int:
    """
    How many of independent trials succeed.

    The median of many uniform draws is a Beta variate, and says how many of them lie
    on the one side of it.
    """
    found = 0
    while trials > _SMALL:
        rank = 1 + trials // 2
        median = random.betavariate(rank, trials + 1 - rank)
        if median <= p:
            found += rank
            trials -= rank
            p = (p - median) / (1 - median) if median < 1 else 0.0
        else:
            trials = rank - 1
            p /= median
    return found + sum(random.random() < p for _ in range(trials))


def events(rate: float, random: Random) -> int:
    """
    How many events of a process of rate 1 happen in a time of `rate`.

    The time of a far event is a Gamma variate; the events before it are uniform.
    """
    found = 0
    while rate > _SMALL:
        event = int(rate * 0.875)
        time = random.gammavariate(event, 1)
        if time > rate:
            return found + successes(event - 1, rate / time, random)
        found += event
        rate -= time
    time = random.expovariate(1)
    while time <= rate:
        found += 1
        time += random.expovariate(1)
    return found
