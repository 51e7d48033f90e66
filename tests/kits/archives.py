"""The lines of an archive, to be forged."""

import gzip
import json


def lines_of(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def rewritten(tmp_path, lines):
    path = tmp_path / "forged.gz"
    path.write_bytes(gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines)))
    return path
