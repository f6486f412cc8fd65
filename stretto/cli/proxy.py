"""
`stretto-proxy`: what a host starts in place of a server's command.

Hosts wait for it whenever they start a server, so it imports what a session needs and
no more: the other commands' way of reading options would take longer than the rest.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, NoReturn

from stretto import __version__
from stretto.errors import CannotWrite, StrettoError
from stretto.proxy.entry import header
from stretto.proxy.journal import Journal
from stretto.proxy.logfile import LogFile
from stretto.proxy.notes import note
from stretto.proxy.record import Recorder
from stretto.proxy.retain import prune
from stretto.proxy.serve import GRACE_S, serve
from stretto.proxy.session import Session, host_session, started

OWN_FAILURE = 125
"""The exit status that says the proxy failed, not the server."""
