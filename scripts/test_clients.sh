#!/usr/bin/env bash
# The tests that need the programs whose files zhuyi reads and writes: transformers, tokenizers, safetensors, PyTorch
# and llama.cpp (in the package xllamacpp). They are installed once, into a cache outside the tree, and again only
# when a version below changes.
#
#     bash scripts/test_clients.sh [BUILD]          the folder of zhuyi and test_float, default: build
#     bash scripts/test_clients.sh --install        installs them, and tests nothing
#
# ZHUYI_CLIENTS_PYTHON names a Python that has them already. Without Python: "skipped", and exit code 0; with CI=true
# that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

clients='torch==2.15.0 transformers==5.23.0 tokenizers==0.23.3 safetensors==0.8.0 xllamacpp==2026.10.11549 numpy'
recipe="$clients $(uname -sm) $(python3 -c 'import sys; print(sys.version_info[:2])' 2>/dev/null || true) 1"

skip() {
    echo "tests with other programs: skipped: $1"
    test "${CI:-}" = true && exit 1
    exit 0
}

install() {
    command -v python3 >/dev/null || skip 'there is no python3'
    local cache=${XDG_CACHE_HOME:-$HOME/.cache}/zhuyi
    local folder
    folder=$cache/clients-$(printf %s "$recipe" | cksum | cut -d ' ' -f 1)
    python=$folder/bin/python
    test -e "$folder/complete" && return
    echo "installing $clients into $folder (a minute or two and 5 GB; once)"
    rm -rf "$folder"
    mkdir -p "$cache"
    python3 -m venv "$folder" || skip 'python3 has no venv'
    # Nothing is compiled: what has no ready-made package for this machine fails here at once.
    "$python" -m pip install -q --no-cache-dir --only-binary :all: $clients || skip 'the packages cannot be had'
    touch "$folder/complete"
}

python=${ZHUYI_CLIENTS_PYTHON:-}
test -n "$python" || install
if test "${1:-}" = --install; then exit 0; fi

build=$(cd "${1:-build}" && pwd)
cases=$(mktemp -d)
trap 'rm -rf "$cases"' EXIT
export ZHUYI_BINARY=$build/zhuyi HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error HF_HUB_DISABLE_PROGRESS_BARS=1
"$python" scripts/golden_clients.py --large --zhuyi "$ZHUYI_BINARY" --out "$cases"
ZHUYI_CLIENT_CASES=$cases "$build/test_float" --test-case='clients:*'
"$python" tests/interop/continue_test.py
"$python" tests/interop/export_test.py
