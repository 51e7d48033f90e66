#!/usr/bin/env bash
# Run the tests of the games with compiled rules, in a copy: the checkout stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(realpath -s "${1:?usage: tests/compiled.sh PYTHON (one that has mypyc)}")
folder=$(mktemp -d -t arena-compiled-XXXXXX)
trap 'rm -rf "$folder"' EXIT
cp -r arena engines bench proto sample_bots tests pyproject.toml "$folder"
rm -f "$folder"/engines/COMPILED "$folder"/engines/*/*.so
"$python" engines/compiling.py --into "$folder"
cd "$folder"
# PYTHONPATH comes before the editable install of the checkout.
export PYTHONPATH=$folder
"$python" -c 'import engines.rrr.rules as rules; assert rules.__file__.endswith(".so"), rules.__file__'
"$python" -m pytest -q -n 2 -p no:cacheprovider tests/engines tests/testing/test_conformance.py tests/testing/test_rule_cases.py
