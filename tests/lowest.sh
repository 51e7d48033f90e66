#!/usr/bin/env bash
# Run the tests that touch our dependencies with the lowest versions of them that pyproject.toml allows, and with the
# lowest Python where the distribution has it: that of Debian 12 is 3.11.2, which lacks what later 3.11 have got.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:?usage: tests/lowest.sh PYTHON (one that has uv)}
folder=$(mktemp -d -t arena-lowest-XXXXXX)
trap 'rm -rf "$folder"' EXIT
lowest=/usr/bin/python$(sed -n 's/^requires-python = ">=\(.*\)"$/\1/p' pyproject.toml)
if ! "$lowest" -c 'import tarfile' 2>/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq "$(basename "$lowest")" >/dev/null || true
fi
"$lowest" -c 'import tarfile' 2>/dev/null || lowest=$python
"$lowest" --version
"$python" -m uv venv --quiet --python "$lowest" "$folder/venv"
"$python" -m uv pip install --quiet --compile-bytecode --python "$folder/venv" --resolution lowest-direct \
    --editable '.[postgres,rl,signing]'
"$python" -m uv pip install --quiet --compile-bytecode --python "$folder/venv" \
    hypothesis pytest pytest-rerunfailures pytest-timeout pytest-xdist
"$folder/venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider \
    tests/links/test_wire.py::test_a_stream_is_ended_whatever_is_left_of_its_window \
    tests/cli/test_tables.py tests/contract tests/intake/test_archives.py tests/links/test_grpc_link.py \
    tests/links/test_serve.py tests/referee \
    tests/rl/test_environment.py tests/sdk tests/store/test_store.py tests/tournaments/test_signing.py \
    tests/tournaments/test_tournament.py \
    tests/workers/test_pool.py::test_what_cannot_be_kept_ends_the_tournament
