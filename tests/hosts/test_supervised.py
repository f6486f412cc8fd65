"""A proxy that listens, kept running by whatever the machine has for that."""

import plistlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stretto.hosts.supervised import service

WORDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t")
)
ODD = ["a b", "$HOME", "100%", ";", 'say "x"', "back\\slash", "two\nlines", "é", ""]


def unit_words(line: str, *, dollars: bool) -> list[str]:
    """What systemd makes of a value, by the rules of systemd.syntax and its kin."""
    words = []
    for quoted, bare in re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', line):
        word = re.sub(
            r"\\(.)",
            lambda found: {"n": "\n", "t": "\t", "r": "\r"}.get(found[1], found[1]),
            quoted or bare,
        )
        word = word.replace("%%", "%")
        words.append(word.replace("$$", "$") if dollars else word)
    return words


def value(text: str, key: str) -> str:
    [found] = [x for x in text.splitlines() if x.startswith(f"{key}=")]
    return found.removeprefix(f"{key}=")


@given(st.lists(WORDS), WORDS)
@example(ODD, "a b%c$d")
def test_systemd_starts_what_was_meant(words: list[str], secret: str):
    kept = service("shop", ("/bin/stretto-proxy", *words), {"KEY": secret}, "linux")

    assert kept is not None
    started = unit_words(value(kept.text, "ExecStart"), dollars=True)
    assert started == ["/bin/stretto-proxy", *words]
    [variable] = unit_words(value(kept.text, "Environment"), dollars=False)
    assert variable == f"KEY={secret}"


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path):
    if (analyze := shutil.which("systemd-analyze")) is None:
        pytest.skip("there is no systemd-analyze here")
    kept = service("shop", ("/bin/sh", *ODD), {"PATH": "/bin", "K": "a b"}, "linux")
    assert kept is not None
    (unit := tmp_path / kept.path.name).write_text(kept.text)

    said = subprocess.run(
        [analyze, "--user", "verify", str(unit)],
        env={"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )

    assert (said.returncode, said.stderr) == (0, "")


@given(st.lists(WORDS), WORDS)
def test_launchd_starts_what_was_meant(words: list[str], secret: str):
    kept = service("shop", ("/bin/stretto-proxy", *words), {"KEY": secret}, "darwin")

    assert kept is not None
    said = plistlib.loads(kept.text.encode())
    assert said["ProgramArguments"] == ["/bin/stretto-proxy", *words]
    assert said["EnvironmentVariables"] == {"KEY": secret}
    assert kept.path.name == f"{said['Label']}.plist" == "stretto.shop.plist"


def test_elsewhere_nothing_is_known_to_keep_programs_running():
    assert service("shop", ("/bin/x",), {}, "win32") is None
