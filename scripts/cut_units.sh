#!/bin/sh
# Prints which files the Makefile compiles together: words "src/base/1=src/base/arena.cpp", a unit and a file of it. A compiler
# spends most of its time on headers: a unit of neighbours includes them once. But a unit is compiled anew when any header
# changes that one of its files reaches, so the cuts are those for which the headers below cost least.
#
#     cut_units.sh FILE.cpp ...
cd "$(dirname "$0")/.."
test $# -gt 0 || exit 0
{
    wc -l "$@"
    grep -H '^#include "' "$@" $(find src tests -name '*.h')
} | awk -v files="$*" '
    !/:#include "/ { lines[$2] = $1; next }
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
        headers = split("src/model/config.h src/train/config.h src/autograd/tape.h", header, " ")
        for (n = split(files, file, " "); n > 0; --n) {
            reached = ""
            for (h = 1; h <= headers; ++h) reached = reached reaches(file[n], header[h])
            room = file[n]
            sub("/[^/]*$", "", room)
            print room, reached, lines[file[n]], file[n]
        }
    }' | LC_ALL=C sort -k1,1 -k2,2r -k4 | awk '
    # What it costs to compile the files i + 1 to j of a folder together: their headers take as long as six files, and the
    # unit is compiled when one of the headers above changes, and in a clean build, which counts half. The square makes
    # units of about the same size, so that a file that changes takes few others with it.
    function cost(i, j,    h, k, times) {
        times = 0.5
        for (h = 1; h <= 3; ++h)
            for (k = i + 1; k <= j; ++k)
                if (substr(reached[k], h, 1) == 1) { ++times; break }
        return times * (6 + j - i) + (j - i) ^ 2 / 10
    }
    # The cheapest cuts of a folder: least[j] is the cost of its first j files, begin[j] where their last unit begins.
    function cut_folder(    i, j, size, unit) {
        for (j = 1; j <= n; ++j) {
            size = 0
            for (i = j - 1; i >= 0 && j - i <= 11; --i) {
                size += lines[i + 1]
                if (size > 1600 && j - i > 1) break
                if (i == j - 1 || least[i] + cost(i, j) < least[j]) { least[j] = least[i] + cost(i, j); begin[j] = i }
            }
        }
        for (j = n; j > 0; j = begin[j]) {
            ++unit
            for (i = begin[j] + 1; i <= j; ++i) print room "/" unit "=" file[i]
        }
        n = 0
    }
    $1 != room { cut_folder(); room = $1 }
    { reached[++n] = $2; lines[n] = $3; file[n] = $4 }
    END { cut_folder() }'
