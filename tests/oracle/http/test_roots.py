"""A server is trusted by the system's roots and a file's, and by no others."""

import json
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stretto.errors import OracleDown
from stretto.oracle.cached import Cached
from stretto.oracle.http.attempt import trusted
from stretto.oracle.jev import Jev
from stretto.oracle.jev import oracle as jev
from stretto.oracle.question import Noul, Request
from stretto.oracle.settings import OracleSettings
from tests.oracle.http.servers import Server, Time, listening, reply

ANSWER = {"model": "m", "answers": {"n": {"type": "noul", "noul": 0.5}}}
REQUEST = Request("m", {}, {"n": Noul("?")})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a certificate of this machine's address, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("root")
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem",
            "-out", folder / "cert.pem",
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return folder


@pytest.fixture
def server(root: Path) -> Iterator[Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(root / "cert.pem", root / "key.pem")
    body = json.dumps(ANSWER).encode()
    with listening(lambda _, handler: reply(handler, 200, body), context) as found:
        yield found


def asked(server: Server, folder: Path, **environ: str) -> Cached:
    known = {"TYPESAFE_BASE_URL": server.url, "TYPESAFE_API_KEY": "0123456789"}
    found = jev(OracleSettings("m", folder, {**known, **environ}))
    assert isinstance(found.inner, Jev)
    endpoint = replace(found.inner.endpoint, clock=Time().clock)
    return replace(found, inner=replace(found.inner, endpoint=endpoint))


def test_a_root_of_ones_own_is_trusted_where_it_is_named(
    server, root, tmp_path
) -> None:
    oracle = asked(server, tmp_path, SSL_CERT_FILE=str(root / "cert.pem"))

    assert oracle.ask(REQUEST).model == "m"


def test_an_unknown_root_is_not_trusted_and_the_key_is_not_sent(
    server: Server, tmp_path: Path
) -> None:
    with pytest.raises(OracleDown, match="certificate verify failed"):
        asked(server, tmp_path).ask(REQUEST)

    assert server.heard == []


def test_a_file_of_roots_is_added_to_the_systems(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if type(trusted(None)) is not ssl.SSLContext:
        pytest.skip("this system's roots are asked one by one, and cannot be counted")
    system = trusted(None).cert_store_stats()["x509_ca"]
    monkeypatch.setenv("SSL_CERT_FILE", str(root / "cert.pem"))

    with_own = trusted(str(root / "cert.pem")).cert_store_stats()["x509_ca"]
    assert with_own == system + 1
