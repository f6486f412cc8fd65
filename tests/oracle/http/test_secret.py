"""A key is found where it is said to be, and shown nowhere."""

from pathlib import Path

import pytest

from stretto.errors import OracleError
from stretto.oracle.http.secret import KeyHolder, Secret

KEY = "c4n4ry-0123456789"


def held(**environ: str) -> KeyHolder:
    return KeyHolder("API_KEY", environ)


def test_the_variable_goes_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("of-the-file-1\n")

    assert held(API_KEY=f" {KEY} ", API_KEY_FILE=str(path)).get().value == KEY
    assert held(API_KEY="", API_KEY_FILE=str(path)).get().value == "of-the-file-1"


def test_without_either_the_error_names_the_variable() -> None:
    assert held().find() is None
    with pytest.raises(OracleError, match="API_KEY is not set") as error:
        held().get()
    assert "API_KEY_FILE" in (error.value.hint or "")


@pytest.mark.parametrize(
    "key", ["short", "two words1", "line\nbreak1", "schlüssel1", "x" * 1001]
)
def test_what_could_be_no_key_is_refused_and_not_shown(tmp_path, key: str) -> None:
    path = tmp_path / "key"
    path.write_text(key, encoding="utf-8")

    for holder in (held(API_KEY=key), held(API_KEY_FILE=str(path))):
        with pytest.raises(OracleError, match="holds no key") as error:
            holder.get()
        assert key not in str(error.value)


def test_a_file_that_cannot_be_read_is_an_error_and_a_large_one_is_no_key(
    tmp_path: Path,
) -> None:
    with pytest.raises(OracleError, match="API_KEY_FILE names a file"):
        held(API_KEY_FILE=str(tmp_path / "none")).get()
    (tmp_path / "big").write_bytes(b"x" * 10_000)
    with pytest.raises(OracleError, match="holds no key"):
        held(API_KEY_FILE=str(tmp_path / "big")).get()


def test_no_representation_holds_the_key() -> None:
    secret, holder = Secret(KEY), held(API_KEY=KEY)

    assert KEY not in f"{secret} {secret!r} {holder} {holder!r}"
    assert secret.hidden_in(f"a {KEY}{KEY} b".encode()) == b"a [key][key] b"
