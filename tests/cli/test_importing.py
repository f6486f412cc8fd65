"""Imports that Ctrl-C waits for."""

import signal
import sys

import pytest

from stretto.cli.importing import import_whole


def test_an_interrupt_halfway_is_raised_once_the_module_is_whole(tmp_path, monkeypatch):
    source = "import signal\nsignal.raise_signal(signal.SIGINT)\nwhole = True\n"
    (tmp_path / "interrupted_halfway.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(KeyboardInterrupt):
        import_whole("interrupted_halfway")

    assert sys.modules.pop("interrupted_halfway").whole
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_failed_import_leaves_interrupts_as_they_were():
    with pytest.raises(ModuleNotFoundError):
        import_whole("no_such_module_anywhere")

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
