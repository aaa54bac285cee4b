#!/bin/sh
# The demo: trains on the village, writes, counts how much of what was written keeps every rule of the village (where Python is;
# the program needs none), and asks what the model knows.
#
#     demo.sh PROGRAM
set -eu
cd "$(dirname "$0")/.."
say() {
    echo "$*"
    "$@"
}
rm -rf runs/village
say "$1" train configs/village.conf --out runs/village
say "$1" sample runs/village --count 3
"$1" sample runs/village --count 100 >runs/village/written.txt
if command -v python3 >/dev/null; then
    echo
    python3 scripts/village.py --check runs/village/written.txt || :
fi
say "$1" probe runs/village
echo
echo "The film of this training, to be opened in a browser:  $PWD/runs/village/report.html"
