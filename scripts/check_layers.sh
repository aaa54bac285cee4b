#!/bin/sh
# The folder list is the arrow: a file in src/ includes only files of its own folder and of those before it in this list. What an
# operating system is asked for lies in its first two folders.
set -eu
cd "$(dirname "$0")/.."
order='base system formats kernels text autograd ops model train generate interop attention probe explain film cost run app'

find src -mindepth 2 \( -name '*.h' -o -name '*.cpp' \) | sort | xargs awk -v order="$order" '
    BEGIN { for (n = split(order, folder, " "); n > 0; --n) place[folder[n]] = n }
    FNR == 1 {
        split(FILENAME, part, "/")
        here = part[2]
        if (!(here in place)) { print FILENAME ": the folder " here " has no place in the order: " order; wrong = 1 }
    }
    /^[ \t]*#.*(_WIN32|__linux__|__APPLE__|__unix__)/ && here != "base" && here != "system" {
        print FILENAME ":" FNR ": only base/ and system/ may ask which operating system it is"
        wrong = 1
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        path = $0
        sub(/^[^"]*"/, "", path)
        sub(/".*/, "", path)
        there = path
        if (!sub(/\/.*/, "", there) || !(there in place)) {
            print FILENAME ":" FNR ": expected \"folder/file.h\", found \"" path "\""
            wrong = 1
        } else if (place[there] > place[here]) {
            print FILENAME ":" FNR ": " here "/ may not include " there "/, which comes after it: " order
            wrong = 1
        }
    }
    END { exit wrong }'

# Helpers of tests stand in a namespace of their own. Beside a class of the program with the same name, the linker would keep
# one of the two without a word; so it has two names, and the compiler refuses to choose between them.
outside=$(find tests -path 'tests/support/*.cpp' -o -name '*.h' | xargs awk '
    FNR == 1 { before = "" }
    before ~ /^namespace zhuyi \{/ && $0 !~ /^inline namespace support \{/ { print FILENAME ":" FNR }
    { before = $0 }')
if test -n "$outside"; then
    echo "$outside: expected \"inline namespace support {\" in namespace zhuyi"
    exit 1
fi
