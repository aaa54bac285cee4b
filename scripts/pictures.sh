#!/bin/sh
# Takes the README's pictures of the demo's run (runs/village), from the program and from the screenshots of `make browser`.
#
#     pictures.sh BUILD
set -eu
cd "$(dirname "$0")/.."
cp "$1"/browser/film_*.png data/pictures
for language in en zh; do
    "$1/zhuyi" attend runs/village --text 张明喂小猫，他拿来鱼 --layer 2 --head 3 --lang $language --format svg \
        --out data/pictures/attention$(test $language = en || echo _$language).svg
done
