"""Where `stretto-proxy` listens, and for which server."""

from stretto.cli.headers import header_values
from stretto.cli.proxy_options import Options
from stretto.proxy.http.access import address, token_in
from stretto.proxy.http.modes import Listening, host, relay
from stretto.proxy.http.standing import Stands


def serve(options: Options, stands: Stands | None) -> int:
    """The exit status of serving hosts with that in between."""
    http = options.http
    at = Listening(
        address(str(http.listen)),
        None if http.token_file is None else token_in(http.token_file),
        idle_s=http.idle_min * 60,
    )
    if http.upstream is None:
        return host(at, options.command, stands=stands)
    return relay(
        at, http.upstream, own_headers=header_values(http.headers), stands=stands
    )
