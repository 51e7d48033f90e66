#!/usr/bin/env bash
# Run the tests that touch our dependencies with the lowest versions of them that pyproject.toml allows.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:?usage: tests/lowest.sh PYTHON (one that has uv)}
folder=$(mktemp -d -t arena-lowest-XXXXXX)
trap 'rm -rf "$folder"' EXIT
"$python" -m uv venv --quiet --python "$python" "$folder/venv"
"$python" -m uv pip install --quiet --compile-bytecode --python "$folder/venv" --resolution lowest-direct \
    --editable '.[postgres,rl,signing]'
"$python" -m uv pip install --quiet --compile-bytecode --python "$folder/venv" \
    hypothesis pytest pytest-rerunfailures pytest-timeout pytest-xdist
"$folder/venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider \
    tests/links/test_wire.py::test_a_stream_is_ended_whatever_is_left_of_its_window \
    tests/cli/test_tables.py tests/contract tests/links/test_grpc_link.py tests/links/test_serve.py tests/referee \
    tests/rl/test_environment.py tests/sdk tests/store/test_store.py tests/tournaments/test_signing.py \
    tests/tournaments/test_tournament.py
