#!/bin/sh
# The compiler of release.sh and gemm.sh, pinned here so that the same commit gives the same bytes on every machine: Zig's clang
# with libc++, from PyPI. It stays in build/ziglang.
#
#     ziglang.sh              # prints its command, and installs it first where it is missing
#     ziglang.sh installed    # installs nothing: exit status 77 where it is missing
set -eu
cd "$(dirname "$0")/.."
version=0.17.1
python=$PWD/build/ziglang/bin/python
if ! "$python" -m ziglang version 2>/dev/null | grep -qx "$version"; then
    test "${1:-}" != installed || exit 77
    if ! { python3 -m venv build/ziglang && "$python" -m pip install -q --disable-pip-version-check "ziglang==$version"; } >&2; then
        echo "ziglang.sh: cannot install the compiler (ziglang $version, from PyPI). Is there a network, and python3 with venv?" >&2
        exit 1
    fi
fi
echo "$python -m ziglang"
