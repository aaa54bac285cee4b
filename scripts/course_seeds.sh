#!/bin/sh
# Do the examples of the course and of its lesson hold on other models of the village, too? Trains the demo with four seeds (a
# minute and a half each; what is there already stays) and looks at what the course says of each.
#
#     sh scripts/course_seeds.sh [FOLDER]      where the runs are kept (build/seeds); exit 1 if an example fails
set -eu
cd "$(dirname "$0")/.."
runs=${1:-build/seeds}
zhuyi=build/zhuyi
failed=0
said=$(mktemp)
trap 'rm -f "$said"' EXIT

# holds SEED WHAT PATTERN: stands it in what was said?
holds() {
    if grep -Eq "$3" "$said"; then echo "seed $1: $2"; else echo "seed $1: FAILED: $2 ($3)"; failed=1; fi
}

for seed in 1337 7 21 99; do
    run=$runs/$seed
    test -e "$run/best.safetensors" && grep -q "^done" "$run/train.txt" ||
        $zhuyi train configs/village.conf --seed "$seed" --out "$run" --resume >"$runs.$seed.txt" 2>&1
    test ! -e "$runs.$seed.txt" || mv "$runs.$seed.txt" "$run/train.txt"
    # one line a paragraph
    { $zhuyi course lesson --run "$run" --lang zh --format markdown; $zhuyi course all --run "$run" --lang zh --format markdown; } >"$said"
    holds "$seed" '小猫想吃鱼，小狗爱吃骨头' '小猫想吃“鱼 (0\.9|1\.0)[0-9]*”，小狗爱吃“骨 0\.[89]'
    holds "$seed" '“猫”的五个近邻里至少三个是动物' '“猫”现在的近邻是([^鸡狗羊兔鸟]*[鸡狗羊兔鸟]){3}'
    holds "$seed" '名字交换：她、他' 'A 之后是“她 (0\.9|1\.0)[0-9]*”，B 之后是“他 (0\.9|1\.0)'
    holds "$seed" '逗号看“李华”，权重过半' '逗号对“李华”的权重最多 0\.[5-9]'
    holds "$seed" '关掉一个头，小兔不再想吃萝卜' '最可能的变成“[^萝]”'
    holds "$seed" '谁被问，谁回答' '概率最大的下一个 token 分别是“林”和“张”'
    holds "$seed" '一词两义：摘下的苹果不是股票' '张明从树上摘下一个苹果，他说：“苹果 \| [^股]'
    holds "$seed" '一词两义：一百股苹果是股票' '张明买了一百股苹果，他说：“苹果 \| 股 (0\.9|1\.0)'
    $zhuyi step "$run" --text 小狗最爱吃青草。 --token 吃 --times 5 --on text --moments empty --lang zh >"$said"
    holds "$seed" '教五步以后，小狗爱吃青草' '第 5 次后 +0\.[5-9][0-9]* +0\.[0-4]'
done
test "$failed" -eq 0 && echo 'all examples hold on four seeds'
exit "$failed"
