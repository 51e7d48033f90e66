#!/usr/bin/env bash
# Builds the images that bots start from, without any registry:
#   arena/base     Debian with Python, from Debian's packages (mmdebstrap), for bots in any language
#   arena/python   the same with Arena's SDK and gRPC, when called with --sdk
# Doing it again changes nothing unless the recipe (or, for the SDK, Arena itself) has changed; --force builds anew.
# Needs: mmdebstrap, docker, a Debian mirror (MIRROR=... for your own); for --sdk also an installed .venv and its pip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

SUITE=bookworm
PYTHON_VERSION=3.11  # the Python of that suite: the SDK's wheels must fit it
BASE=arena/base:$SUITE
SDK_IMAGE=arena/python:$SUITE
PYTHON=${PYTHON:-.venv/bin/python}
DEBIAN=(--variant=minbase --include=python3
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*'
    --dpkgopt='path-exclude=/usr/share/locale/*')
# What a bot on the SDK imports; the rest of Arena's dependencies are the referee's.
SDK_NEEDS='^(grpcio|grpcio-health-checking|protobuf|typing[-_]extensions)=='
export DOCKER_BUILDKIT=0  # the classic builder needs no plug-in and no network for a COPY

force= sdk=
for word in "$@"; do
    case $word in
        --force) force=1 ;;
        --sdk) sdk=1 ;;
        *) echo "usage: docker/build-base.sh [--sdk] [--force]" >&2; exit 2 ;;
    esac
done

up_to_date() {  # image, recipe
    [ -z "$force" ] && [ "$(docker image inspect --format '{{index .Config.Labels "arena.recipe"}}' "$1" 2>/dev/null)" = "$2" ]
}

recipe=$(echo "$SUITE ${DEBIAN[*]}" | sha256sum | cut -c1-16)
if up_to_date "$BASE" "$recipe"; then
    echo "$BASE is up to date"
else
    mmdebstrap --quiet "${DEBIAN[@]}" "$SUITE" - ${MIRROR:+"$MIRROR"} |
        docker import --change 'ENV LANG=C.UTF-8' --change 'CMD ["python3"]' --change "LABEL arena.recipe=$recipe" - "$BASE"
fi
[ -n "$sdk" ] || exit 0

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
"$PYTHON" -m pip --quiet --disable-pip-version-check wheel --no-deps --wheel-dir "$context/wheels" .
"$PYTHON" -m pip --disable-pip-version-check list --format=freeze | grep -E "$SDK_NEEDS" > "$context/needs.txt"
recipe=$(echo "$recipe" | cat - docker/Dockerfile.sdk "$context/needs.txt" "$context"/wheels/*.whl | sha256sum | cut -c1-16)
if up_to_date "$SDK_IMAGE" "$recipe"; then
    echo "$SDK_IMAGE is up to date"
    exit 0
fi
"$PYTHON" -m pip --quiet --disable-pip-version-check install --no-deps --only-binary=:all: --target "$context/site" \
    --python-version "$PYTHON_VERSION" --requirement "$context/needs.txt" "$context"/wheels/*.whl
cp docker/Dockerfile.sdk "$context/Dockerfile"
rm -r "$context/wheels"
docker build --quiet --network none --build-arg "BASE=$BASE" --label "arena.recipe=$recipe" --tag "$SDK_IMAGE" "$context"
