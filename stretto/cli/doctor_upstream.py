"""`stretto doctor` with a server at a URL, imported only where there is one."""

from stretto.cli.headers import header_values
from stretto.cli.proxy_options import Http
from stretto.doctor.reach import reached_tools
from stretto.traces.messages import Message


def tools_at(http: Http) -> list[Message]:
    """
    The tools that the server lists.

    Raises:
        StrettoError: a header's variable is not set, or the server does not answer.
    """
    return reached_tools(str(http.upstream), header_values(http.headers))
