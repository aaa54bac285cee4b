#!/bin/sh
# Prints the units in which the Makefile compiles the given sources: a line each, its files with commas between them. The
# files of a folder are put together so that few units, and small ones, follow when one of the headers below changes.
#
#     cut_units.sh FILE.cpp ...
cd "$(dirname "$0")/.."
{
    wc -l "$@"
    grep -H '^#include "' "$@" $(find src -name '*.h')
} | LC_ALL=C awk -v files="$*" '
    BEGIN {
        headers = split("src/model/config.h src/train/config.h src/autograd/tape.h", header, " ")
        most = 11; most_lines = 1600  # files and lines of a unit: a larger one takes more than five seconds to compile
    }
    !/:#include "/ { lines[$2] = $1; next }
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
    # Those that reach the same headers stand together.
    function rank(file,    h, number) {
        number = 0
        for (h = 1; h <= headers; ++h) number = 2 * number + !reaches(file, header[h])
        return number
    }
    # What the unit of files i + 1 to j costs. Its headers take as long to compile as four files. It is compiled when one of
    # the headers changes that it reaches, and in a clean build. A clean build counts half; the first header, which most
    # files reach, counts twice.
    function cost(i, j,    h, k, times) {
        times = 0.5
        for (h = 1; h <= headers; ++h)
            for (k = i + 1; k <= j; ++k)
                if (reaches(file[k], header[h])) { times += h == 1 ? 2 : 1; break }
        return times * (4 + j - i)
    }
    # The cheapest cuts of the files 1 to n of a folder: least[j] is the cost of the first j files, and begin[j] says where
    # the last unit of them begins.
    function cut_folder(n,    i, j, k, c, line, sum) {
        least[0] = 0
        for (j = 1; j <= n; ++j) {
            least[j] = 1e9
            sum = 0
            for (i = j - 1; i >= 0 && j - i <= most; --i) {
                sum += lines[file[i + 1]]
                if (sum > most_lines && j - i > 1) break
                c = least[i] + cost(i, j)
                if (c < least[j]) { least[j] = c; begin[j] = i }
            }
        }
        for (j = n; j > 0; j = begin[j]) {
            line = file[begin[j] + 1]
            for (k = begin[j] + 2; k <= j; ++k) line = line "," file[k]
            print line
        }
    }
    function folder_of(file) { sub(/\/[^\/]*$/, "", file); return file }
    END {
        count = split(files, list, " ")
        for (i = 1; i <= count; ++i) key[i] = folder_of(list[i]) " " rank(list[i]) " " list[i]
        for (i = 2; i <= count; ++i)  # insertion sort
            for (j = i; j > 1 && key[j - 1] > key[j]; --j) { swap = key[j]; key[j] = key[j - 1]; key[j - 1] = swap }
        n = 0
        for (i = 1; i <= count; ++i) {
            split(key[i], word, " ")
            if (n > 0 && word[1] != folder_of(file[n])) { cut_folder(n); n = 0 }
            file[++n] = word[3]
        }
        cut_folder(n)
    }'
