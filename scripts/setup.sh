#!/bin/sh
# Installs what zhuyi is built and tested with, where it is missing: a C++20 compiler, make, doctest. Asks nothing; where
# nothing is missing it does nothing.
set -eu

compiler() {
    if test -n "${CXX:-}"; then echo "$CXX"; elif command -v g++ >/dev/null; then echo g++; else echo clang++; fi
}
# Does a program of these lines compile?
compiles() {
    cxx=$(compiler)  # may be two words: ccache g++
    command -v "${cxx%% *}" >/dev/null || return 1
    extra=
    if test "$(uname -s)" = Darwin && command -v brew >/dev/null; then extra="-I$(brew --prefix)/include"; fi
    # shellcheck disable=SC2086
    printf '%s\n' "$@" 'int main() {}' | $cxx -std=c++20 $extra -fsyntax-only -x c++ - 2>/dev/null
}
has_make() { command -v make >/dev/null; }
# By what is really used: libc++ has the algorithms of ranges, and spans of a text, from version 16 on.
has_compiler() {
    compiles '#include <algorithm>' '#include <bit>' '#include <span>' '#include <string_view>' 'static_assert(__cplusplus >= 202002L);' \
        'auto bytes(std::string_view text) { return std::span<const char>(text); }' \
        'auto found(std::span<const char> all) { return std::ranges::find(all, 0); }'
}
has_doctest() { compiles '#include <doctest/doctest.h>'; }
nothing_missing() { has_make && has_compiler && has_doctest; }

by_hand() {
    cat >&2 <<'END'
setup: please install by hand
  - a C++20 compiler: g++ 12 or newer, or clang 14 or newer with g++'s library, 16 or newer with libc++
    (on macOS: xcode-select --install)
  - GNU make
  - doctest, the header <doctest/doctest.h> (github.com/doctest/doctest; for the tests only)
On Windows use WSL, or take the archive.
END
    exit 1
}

# As root, or through sudo where there is one.
as_root() {
    if test "$(id -u)" -eq 0; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "setup: this needs root, and there is no sudo: $*" >&2
        by_hand
    fi
}

install_missing() {
    if command -v apt-get >/dev/null; then
        as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -q -y --no-install-recommends g++ make doctest-dev
    elif command -v dnf >/dev/null; then
        as_root dnf install -q -y gcc-c++ make doctest-devel
    elif command -v pacman >/dev/null; then
        as_root pacman -Sy --noconfirm --needed gcc make doctest
    elif command -v apk >/dev/null; then
        # The header has moved between these two packages.
        as_root apk add g++ make doctest-dev || as_root apk add g++ make doctest
    elif command -v brew >/dev/null; then
        brew install doctest
    else
        by_hand
    fi
}

if nothing_missing; then exit 0; fi
install_missing </dev/null
if ! nothing_missing; then by_hand; fi
