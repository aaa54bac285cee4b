#!/bin/sh
# A file of more than 300 lines (150 in src/app: one small file a command), a function of more than 60, or a core
# (autograd ops model train) of more than core_limit lines is worth a second look: is it still one story? This check fails until
# the code is cut, or until somebody raises the number here, with the reason.
set -eu
cd "$(dirname "$0")/.."

# path, lines allowed, reason
larger='
'
# path:function, lines allowed, reason
longer='
'
core_limit=4040  # 3,500 before Muon, rotary positions and --minutes; 3,950 with them; 4,030 since train/moved_by.cpp says who moves a token's row

find src tests \( -name '*.h' -o -name '*.cpp' -o -name '*.js' \) | sort | xargs awk -v larger="$larger" -v longer="$longer" '
    function allowed(list, name, usual,    lines, part, n, i) {
        n = split(list, lines, "\n")
        for (i = 1; i <= n; ++i) {
            split(lines[i], part, " ")
            if (part[1] == name) return part[2] + 0
        }
        return usual
    }
    function end_of_file(    most) {
        most = allowed(larger, file, file ~ /^src\/app\// ? 150 : 300)
        if (lines > most) {
            print file " has " lines " lines; " most " are allowed. Is it still one story?"
            wrong = 1
        }
    }
    function end_of_function(column,    what, most, length_now) {
        what = begin_text[column]
        if (what ~ /^ *(namespace|struct|class|enum|union|TEST_CASE|extern|if|for|while|switch|do|else|\{)/ || what !~ /\(/) return
        if (column == 4 && begin_text[0] !~ /^(struct|class|template)/) return  # a block inside a function
        length_now = FNR - begin_line[column] + 1
        sub(/\(.*/, "", what)
        sub(/.*[ *&]/, "", what)
        most = allowed(longer, file ":" what, 60)
        if (length_now > most) {
            print file ":" begin_line[column] ": " what " has " length_now " lines; " most " are allowed. Does it do one thing?"
            wrong = 1
        }
    }
    FNR == 1 { end_of_file(); file = FILENAME; split("", begin_line); split("", begin_text) }
    { lines = FNR }
    # The layout is that of clang-format: what begins at some column ends with a brace at the same column. What begins at
    # column 0, or at column 4 in a class, is looked at.
    /^ *$|^ *\/\/|^ *#/ { next }
    {
        match($0, /[^ ]/)
        column = RSTART - 1
        if (column != 0 && column != 4) next
        if ($0 ~ /^ *}/) end_of_function(column)
        else if ($0 !~ /^ *(public|private|protected):/) { begin_line[column] = FNR; begin_text[column] = $0 }
    }
    END { end_of_file(); exit wrong }'

core=$(cat src/autograd/* src/ops/* src/model/* src/train/* | wc -l)
if test "$core" -gt "$core_limit"; then
    echo "The core (autograd ops model train) has $core lines; $core_limit are allowed. What could be simpler?" >&2
    exit 1
fi

# "Twelve files, one evening" in src/README.md: are its counts of lines about right, and few enough for an evening?
evening=0
while read -r file stated; do
    test -f "src/$file.h" && file=src/$file
    lines=$(cat "$file.h" "$file.cpp" | wc -l)
    evening=$((evening + lines))
    if test "$lines" -gt $((stated + 9)) || test "$lines" -lt $((stated - 9)); then
        echo "src/README.md: $file has $lines lines, not $stated" >&2
        exit 1
    fi
done <<TWELVE
$(sed -n 's/^| [0-9]* | `\([^`.]*\)[^`]*` | \([0-9]*\) |.*/\1 \2/p' src/README.md)
TWELVE
if test "$evening" -gt 2500 || test "$evening" -eq 0; then
    echo "src/README.md: the twelve files have $evening lines; 2500 are an evening. What could be simpler?" >&2
    exit 1
fi
