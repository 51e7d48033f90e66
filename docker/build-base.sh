#!/usr/bin/env bash
# Builds the images that bots start from, without any registry:
#   arena/base                          Debian with Python, from Debian's packages (mmdebstrap), for bots in any language
#   --sdk   arena/python                the same with Arena's SDK and gRPC
#   --node  arena/node                  Node.js
#   --cpp   arena/cpp, arena/cpp-build  what a C++ bot runs with, and what it is built with: compiler, gRPC, protoc
#   --go    arena/go-build              what a Go bot is built with; it runs with nothing at all
#   --java  arena/java, arena/java-build
# Doing it again changes nothing unless the recipe (or, for the SDK, Arena itself) has changed; --force builds anew.
# Needs: mmdebstrap, docker, a Debian mirror (MIRROR=... for your own); for --sdk also a Python with Arena and pip:
# PYTHON=..., in a checkout that of its .venv. `arena bot base` runs this script with its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

SUITE=bookworm
PYTHON_VERSION=3.11  # the Python of that suite: the SDK's wheels must fit it
SDK_IMAGE=${SDK_IMAGE:-arena/python:$SUITE}
PYTHON=${PYTHON:-.venv/bin/python}
JAVA_LIBRARIES=libgrpc-java,libguava-java,libnetty-java,libperfmark-java,libprotobuf-java
JAVA_BUILD=libgeronimo-annotation-1.3-spec-java,protobuf-compiler,protobuf-compiler-grpc-java-plugin
declare -A PACKAGES=(
    [base]=python3
    [node]=nodejs
    [cpp]=libgrpc++1.51,libprotobuf32
    [cpp-build]=make,g++,libgrpc++-dev,libprotobuf-dev,protobuf-compiler-grpc
    [go-build]=make,golang-go,golang-google-grpc-dev,golang-github-golang-protobuf-1-5-dev,protoc-gen-go
    [java]=default-jre-headless,$JAVA_LIBRARIES
    [java-build]=make,default-jdk-headless,$JAVA_LIBRARIES,$JAVA_BUILD
)
# What a bot on the SDK imports; the rest of Arena's dependencies are the referee's.
SDK_NEEDS='grpcio grpcio-health-checking protobuf typing-extensions'
export DOCKER_BUILDKIT=0  # the classic builder needs no plug-in and no network for a COPY

force= sdk= images=(base)
for word in "$@"; do
    case $word in
        --force) force=1 ;;
        --sdk) sdk=1 ;;
        --node) images+=(node) ;;
        --cpp) images+=(cpp cpp-build) ;;
        --go) images+=(go-build) ;;
        --java) images+=(java java-build) ;;
        *) echo "usage: docker/build-base.sh [--sdk] [--node] [--cpp] [--go] [--java] [--force]" >&2; exit 2 ;;
    esac
done

up_to_date() {  # image, recipe
    [ -z "$force" ] && [ "$(docker image inspect --format '{{index .Config.Labels "arena.recipe"}}' "$1" 2>/dev/null)" = "$2" ]
}

declare -A recipes
for name in "${images[@]}"; do
    image=arena/$name:$SUITE
    debian=(--variant=minbase "--include=${PACKAGES[$name]}" --dpkgopt='path-exclude=/usr/share/doc/*'
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*')
    recipes[$name]=$(echo "$SUITE ${debian[*]}" | sha256sum | cut -c1-16)
    if up_to_date "$image" "${recipes[$name]}"; then
        echo "$image is up to date"
    else
        # Java's packages put links into a folder of manual pages. Half an image gets no name.
        made=$(mmdebstrap --quiet --essential-hook='mkdir -p "$1/usr/share/man/man1"' "${debian[@]}" "$SUITE" - \
            ${MIRROR:+"$MIRROR"} | docker import --change 'ENV LANG=C.UTF-8' --change 'CMD ["sh"]' \
            --change "LABEL arena.recipe=${recipes[$name]}" -)
        docker tag "$made" "$image"
        echo "$image is new"
    fi
done
[ -n "$sdk" ] || exit 0

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
# Arena as this Python has it, from a checkout or from a wheel; -P: not what happens to be in this folder.
installed=$("$PYTHON" -P -c 'import arena, pathlib; print(pathlib.Path(arena.__file__).resolve().parents[1])')
mkdir "$context/site"
tar -C "$installed" --exclude=__pycache__ -c arena engines | tar -C "$context/site" -x
"$PYTHON" -P -c 'import sys; from importlib.metadata import version
for name in sys.argv[1:]: print(f"{name}=={version(name)}")' $SDK_NEEDS > "$context/needs.txt"
code=$(tar -C "$context/site" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=a+rX,u+w,go-w -c . | sha256sum)
recipe=$(echo "${recipes[base]} $code" | cat - docker/Dockerfile.sdk "$context/needs.txt" | sha256sum | cut -c1-16)
if up_to_date "$SDK_IMAGE" "$recipe"; then
    echo "$SDK_IMAGE is up to date"
    exit 0
fi
"$PYTHON" -m pip --quiet --disable-pip-version-check install --no-deps --only-binary=:all: --target "$context/site" \
    --python-version "$PYTHON_VERSION" --requirement "$context/needs.txt"
cp docker/Dockerfile.sdk "$context/Dockerfile"
docker build --quiet --network none --build-arg "BASE=arena/base:$SUITE" --label "arena.recipe=$recipe" --tag "$SDK_IMAGE" "$context"
