"""The one text of a value, for digests and for files that are compared: protobuf bytes are not canonical."""

import json
from typing import Any


def canonical_json(value: Any, *, ensure_ascii: bool = True) -> bytes:
    """The one JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=ensure_ascii).encode()
