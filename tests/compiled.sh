#!/usr/bin/env bash
# Build a wheel with compiled rules, install it into an empty environment and play; then run the tests of the games on them.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(realpath -s "${1:?usage: tests/compiled.sh PYTHON (one that has mypyc and uv)}")
folder=$(mktemp -d -t arena-compiled-XXXXXX)
trap 'rm -rf "$folder"' EXIT

# The rules are the same however hard the C compiler tries, and 1 takes it half the time.
HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 ARENA_COMPILE_LEVEL=1 "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps \
    --no-build-isolation --wheel-dir "$folder" .
"$python" -m uv venv --quiet --python "$python" "$folder/venv"
"$python" -m uv pip install --quiet --python "$folder/venv" "$folder"/botarena-*.whl
cd "$folder" # where nothing of the checkout is found
rules=$(venv/bin/python -c 'import engines; print(engines.FOLDER)')
venv/bin/arena doctor >doctor 2>&1 || true # it fails where no sandbox is
grep 'the rules of the games are compiled' doctor
for game in assassins claim kingdoms rrr; do
    venv/bin/arena match --game $game --bot greedy --bot random --seed 7 --sandbox process --out $game.arena >/dev/null
    "$python" -m arena replay verify $game.arena >/dev/null # the checkout's rules, which are interpreted, play the same match
done
echo '# changed' >>"$rules/claim/rules.py"
if venv/bin/arena games >stale 2>&1 || ! grep -q 'engines.claim.rules is older than its source' stale; then
    echo 'stale rules were not refused:' && cat stale && exit 1
fi
cd - >/dev/null

cp -r arena engines bench proto sample_bots tests pyproject.toml "$folder"
(cd "$rules/.." && cp --parents arena/*.so engines/COMPILED engines/*/*.so "$folder")
cd "$folder"
# PYTHONPATH comes before the editable install of the checkout.
export PYTHONPATH=$folder
"$python" -c 'import engines.rrr.rules as rules; assert rules.__file__.endswith(".so"), rules.__file__'
"$python" -m pytest -q -n 2 --dist worksteal -p no:cacheprovider -m 'not slow' \
    tests/engines tests/testing/test_conformance.py tests/testing/test_rule_cases.py
