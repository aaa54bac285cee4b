#!/bin/sh
# Prints the given sources in the order in which the Makefile cuts them into units: those that reach the same of the headers
# below stand together, so that few units follow when one of these headers changes.
#
#     order_sources.sh FILE.cpp ...
cd "$(dirname "$0")/.."
grep -H '^#include "' "$@" $(find src -name '*.h') | awk -v files="$*" '
    # Which headers a file includes itself, and then all that it reaches.
    { split($0, part, ":#include \""); name = part[2]; sub(/".*/, "", name); takes[part[1]] = takes[part[1]] " src/" name }
    function reaches(file, header,    list, n, i) {
        if (file == header) return 1
        if ((file, header) in known) return known[file, header]
        known[file, header] = 0
        n = split(takes[file], list, " ")
        for (i = 1; i <= n; ++i)
            if (reaches(list[i], header)) { known[file, header] = 1; break }
        return known[file, header]
    }
    function rank(file,    model, train, tape) {
        tape = reaches(file, "src/autograd/tape.h")
        model = reaches(file, "src/model/config.h")
        train = reaches(file, "src/train/config.h")
        return tape ? model + train : model ? 4 - train : 6 - train
    }
    END {
        n = split(files, list, " ")
        for (i = 1; i <= n; ++i) print rank(list[i]), list[i]
    }' | LC_ALL=C sort | cut -d ' ' -f 2
