#!/bin/sh
# Prints which files the Makefile compiles together: words "src/base/1=src/base/arena.cpp", a unit and a file of it. A unit holds
# up to eight files of one folder, all of which reach the same of the headers below: few units follow when one of them changes.
#
#     cut_units.sh FILE.cpp ...
cd "$(dirname "$0")/.."
test $# -gt 0 || exit 0
grep -H '^#include "' "$@" $(find src tests -name '*.h') | awk -v files="$*" '
    { split($0, part, /:#include "|"/); takes[part[1]] = takes[part[1]] " src/" part[2] " tests/" part[2] }
    function reaches(file, header,    list, n) {
        if (!((file, header) in known)) {
            known[file, header] = file == header
            for (n = split(takes[file], list, " "); n > 0; --n)
                if (reaches(list[n], header)) known[file, header] = 1
        }
        return known[file, header]
    }
    END {
        headers = split("src/autograd/tape.h src/model/config.h src/train/config.h", header, " ")
        for (n = split(files, file, " "); n > 0; --n) {
            which = ""
            for (h = 1; h <= headers; ++h) which = which reaches(file[n], header[h])
            room = file[n]
            sub("/[^/]*$", "", room)
            print room, which, file[n]
        }
    }' | LC_ALL=C sort | awk -v most=8 '
    $1 != room { room = $1; unit = 0; which = "" }
    $2 != which || count == most { which = $2; ++unit; count = 0 }
    { ++count; print room "/" unit "=" $3 }'
