"""Flow files: read with every field checked, written byte for byte alike."""

from stretto.flow.wire.document import flow_json, parse_flow, read_flow, write_flow

__all__ = ["flow_json", "parse_flow", "read_flow", "write_flow"]
