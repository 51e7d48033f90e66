#!/usr/bin/env bash
# tools/release.sh PYTHON: build what is released into dist/, and play with each of it in an empty environment.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(realpath -s "${1:?usage: tools/release.sh PYTHON (one that has hatchling, twine and uv)}")
version=$("$python" -c 'import tomllib; print(tomllib.load(open("pyproject.toml", "rb"))["project"]["version"])')

complain() { echo "$1" && exit 1; }
grep -q "^version: $version$" CITATION.cff || complain "CITATION.cff has another version than pyproject.toml, $version"
grep -q "botarena-$version-py3-none-any.whl" README.md || complain "README.md names another wheel than that of $version"
grep -qE "^## \[$version\]|^Nothing is released yet. This will be $version\.$" CHANGELOG.md || complain "CHANGELOG.md has no section [$version]"

rm -rf dist
"$python" -m hatchling build -t sdist -t wheel
if command -v cc >/dev/null; then
    HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 "$python" -m hatchling build -t wheel
else
    echo "no C compiler: no wheel with compiled rules"
fi
"$python" -m twine check --strict dist/*

folder=$(mktemp -d -t arena-release-XXXXXX)
trap 'rm -rf "$folder"' EXIT
for file in dist/*; do
    echo "playing with $file …"
    "$python" -m uv venv --quiet --clear --python "$python" "$folder/venv"
    "$python" -m uv pip install --quiet --python "$folder/venv" "$file"
    (
        cd "$folder" # where nothing of the checkout is found
        venv/bin/arena --version | grep -qF "$version"
        for game in assassins claim kingdoms rrr; do
            venv/bin/arena match --game $game --bot greedy --bot random --sandbox process --out $game.arena >/dev/null
            venv/bin/arena replay verify $game.arena >/dev/null
        done
    )
done
ls -l dist
