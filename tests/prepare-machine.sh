#!/usr/bin/env bash
# tests/prepare-machine.sh COMMAND...: run COMMAND on a machine that has all that the tests need.
# On Debian with root it installs and starts what is missing and requires every test to run; elsewhere it only says
# what is missing, and the tests that need it are skipped. Nothing here is needed to play.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=(bwrap docker mmdebstrap chromium npm g++ go javac)
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    for program in "${programs[@]}"; do
        command -v "$program" >/dev/null || echo "$program is missing: the tests that need it are skipped"
    done
    docker info >/dev/null 2>&1 || echo "no docker engine answers: the tests that need one are skipped"
    exec "$@"
fi

export DEBIAN_FRONTEND=noninteractive
packages=(
    bubblewrap docker.io docker-registry mmdebstrap postgresql runsc chromium
    # The compilers and libraries of the sample bots in other languages.
    make g++ libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
    golang-go golang-google-grpc-dev golang-github-golang-protobuf-1-5-dev protoc-gen-go
    default-jdk-headless libgrpc-java libguava-java libnetty-java libperfmark-java libprotobuf-java
    libgeronimo-annotation-1.3-spec-java protobuf-compiler-grpc-java-plugin
    # An HTTP/2 of its own, for a bot that nobody here made the stack of.
    libnghttp2-dev
)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "installing what the tests need: ${missing[*]} …"
    apt-get update -qq
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq "${missing[@]}" >/dev/null
fi

# gVisor is a runtime of the docker engine; one that runs already reads its settings again.
gvisor='{"runtimes": {"runsc": {"path": "/usr/bin/runsc", "runtimeArgs": ["--host-uds=create", "--network=none", "--oci-seccomp"]}}}'
if ! docker info --format '{{.Runtimes}}' 2>/dev/null | grep -q -- --oci-seccomp; then
    mkdir -p /etc/docker
    python3 - "$gvisor" /etc/docker/daemon.json <<'END'
import json, os, sys
wanted, path = json.loads(sys.argv[1]), sys.argv[2]
settings = json.load(open(path)) if os.path.exists(path) else {}
settings["runtimes"] = settings.get("runtimes", {}) | wanted["runtimes"]
json.dump(settings, open(path, "w"))
END
    if docker info >/dev/null 2>&1; then kill -HUP "$(cat /var/run/docker.pid)"; fi
fi
if ! docker info >/dev/null 2>&1; then
    log=$(mktemp -t arena-dockerd-XXXXXX.log)
    dockerd --iptables=false --bridge=none </dev/null >"$log" 2>&1 &
    dockerd=$!
    trap 'kill "$dockerd" 2>/dev/null || true; wait "$dockerd" || true' EXIT
    for _ in $(seq 60); do docker info >/dev/null 2>&1 && break; sleep 1; done
    docker info >/dev/null || { tail -20 "$log"; exit 1; }
fi
docker/build-base.sh --sdk --go

export ARENA_REQUIRE_ALL=1   # from here on a skipped test is a failed test
"$@"
