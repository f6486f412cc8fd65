"""How a session ends, step by step, with neither processes nor a clock."""

import signal

from stretto.proxy.ending import Ending
from stretto.proxy.happenings import Event, Happening

LATER = None
"""In a script: nothing happens until the deadline."""


class Told:
    """Plays both sides, the pump and the pipe, and writes down what is done."""

    def __init__(self, *script: Happening | None, talks: int = 0) -> None:
        self.done: list[object] = []
        self.taken = 0
        self.is_delivering = self.has_ended = False
        self._script = [*script]
        self._talks = talks

    def next(self, timeout_s: float | None) -> Happening | None:
        happening = self._script.pop(0)
        if happening is Event.SERVER_SILENT:
            self.has_ended = True
        if happening is None:
            assert timeout_s is not None, "nothing would ever happen"
            self.taken += self._talks
        return happening

    def signal(self, number: int) -> None:
        self.done.append(signal.Signals(number).name)

    def sweep(self, patience: float) -> None:
        assert patience > 0
        self.done.append("swept")


class Reader:
    """Where a side reads."""

    def __init__(self, told: Told, name: str) -> None:
        self._told, self._name = told, name

    def close(self) -> None:
        self._told.done.append(f"{self._name} closed")


def _done(told: Told) -> list[object]:
    server, host = Reader(told, "server"), Reader(told, "host")
    Ending(told, server, host, told, told, 1.0).wait()
    return told.done


ENDS = (Event.SERVER_SILENT, Event.EXITED)
ENDED = ["host closed", "host closed", "swept"]


def test_a_server_that_ends_by_itself_is_told_nothing() -> None:
    assert _done(Told(*ENDS)) == ENDED


def test_a_broken_pipe_ends_the_servers_input_once() -> None:
    told = Told(Event.BROKEN, Event.BROKEN, Event.HOST_ENDED, *ENDS)

    assert _done(told) == ["server closed", *ENDED]


def test_each_step_is_taken_when_the_one_before_has_had_its_time() -> None:
    told = Told(Event.HOST_ENDED, LATER, LATER, *ENDS)

    assert _done(told) == ["server closed", "SIGTERM", "SIGKILL", *ENDED]


def test_a_server_that_still_talks_is_given_more_time_but_not_for_ever() -> None:
    told = Told(Event.HOST_ENDED, *[LATER] * 11, *ENDS, talks=1)

    assert _done(told) == ["server closed", "SIGTERM", *ENDED]


def test_a_server_whose_host_does_not_read_is_given_all_the_time() -> None:
    told = Told(Event.HOST_ENDED, *[LATER] * 99, *ENDS)
    told.is_delivering = True

    assert _done(told) == ["server closed", *ENDED]


def test_a_signal_is_passed_on_at_once_also_while_the_input_has_ended() -> None:
    told = Told(Event.HOST_ENDED, signal.SIGHUP, *ENDS)

    assert _done(told) == ["server closed", "SIGHUP", *ENDED]


def test_a_signal_again_kills_and_others_do_not() -> None:
    told = Told(signal.SIGINT, signal.SIGTERM, signal.SIGINT, *ENDS)

    assert _done(told) == ["server closed", "SIGINT", "SIGTERM", "SIGKILL", *ENDED]


def test_a_server_that_even_a_kill_does_not_end_is_left_behind() -> None:
    told = Told(Event.HOST_ENDED, LATER, LATER, LATER, LATER)

    assert _done(told)[-3:] == ["SIGKILL", "host closed", "swept"]


def test_what_a_server_left_behind_is_passed_on_before_the_end() -> None:
    told = Told(Event.EXITED, LATER, Event.HOST_ENDED, Event.SERVER_SILENT, talks=1)

    assert _done(told) == ["host closed", "swept"]


def test_an_output_that_something_else_keeps_open_is_not_waited_for() -> None:
    assert _done(Told(Event.EXITED, LATER)) == ["host closed", "swept"]


def test_a_slow_host_is_waited_for_when_the_server_ended_by_itself() -> None:
    told = Told(Event.EXITED, *[LATER] * 99, Event.SERVER_SILENT)
    told.is_delivering = True

    assert _done(told) == ["host closed", "swept"]


def test_a_slow_host_is_not_waited_for_when_it_had_the_server_ended() -> None:
    told = Told(signal.SIGTERM, Event.EXITED, LATER)
    told.is_delivering = True

    assert _done(told) == ["server closed", "SIGTERM", "host closed", "swept"]


def test_a_signal_ends_the_waiting_for_a_slow_host() -> None:
    told = Told(Event.EXITED, signal.SIGTERM)
    told.is_delivering = True

    assert _done(told) == ["host closed", "swept"]
