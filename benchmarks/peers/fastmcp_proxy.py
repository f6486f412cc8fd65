"""
FastMCP's proxy, run by the Python of its own venv:

    python fastmcp_proxy.py stdio|PORT URL|COMMAND...
"""

import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

front, target, *arguments = sys.argv[1:]
is_url = target.startswith("http://")
proxy = create_proxy(target if is_url else StdioTransport(target, arguments))
if front == "stdio":
    proxy.run("stdio", show_banner=False)
else:
    proxy.run("http", port=int(front), show_banner=False, log_level="warning")
