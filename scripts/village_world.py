"""The village itself: who lives there, what is true there, and what is told of it.

This file is all that a teacher changes; village.py tells it. To add a rule:

1. Write down what is true, as a fact: FACTS["food"]["小猫"] = ["鱼"]. `{pet.food}` in a sentence is then
   one of these. Facts can be chained: `{season.next.sight}`.
2. Tell it in TOPICS, in several ways, and mark with `!` and the rule's number where the rule decides what
   comes: `{pet}饿了，{pet.he!1}想吃{pet.food!3}。` Questions are cut there.
3. Give it a name in RULES, and in NEW the combinations that make a question a new one.
4. Ask it in FORMS, in a way in which nothing is told.

The sentences:

    {a}           a slot, drawn when it is first asked for, the same in the whole document
    {pet.food}    a fact about the slot's value
    {n+m} {n-m}   the sum, the difference
    [this|that]   one of these, each as likely
    {b!6}         rule 6 decides this one: what it is decided by stood before in the text, and is `b`
                  itself where it is said again, `pet` for `pet.food`
    {word!2 a b}  the same, but it is decided by a and b

Every character of the text should occur 20 times or more: `village.py` counts them.
"""

# number: (name, English name)
RULES = {
    1: ("他/她/它", "he, she, it"),
    2: ("二选一", "which of the two"),
    3: ("谁吃什么", "who eats what"),
    4: ("一词两义", "one word, two meanings"),
    5: ("名字再现", "a name again"),
    6: ("谁问谁答", "who is asked answers"),
    7: ("时间往前", "time goes forward"),
    8: ("在哪做什么", "where one does what"),
    9: ("加和减", "sums"),
    10: ("各省的事", "provinces"),
    11: ("东西的样子", "things keep their looks"),
    12: ("喜和忧", "glad or sad"),
    13: ("谁在哪有什么", "who is where and has what"),
}

# ---- what is true ------------------------------------------------------------------------------------------------

HE = "张明 陈阳 老李 大山 周强".split()
SHE = "李华 小红 林青 阿依 王老师".split()
HOME = "小猫 小狗 小羊 小兔 小鸡 小鸟".split()  # animals that somebody can keep
FAR = ["熊猫", "猴子"]                          # and two that one only talks about
DAYS = "星期一 星期二 星期三 星期四 星期五 星期六 星期日".split()
TIMES = "早上 中午 下午 傍晚 晚上".split()
SEASONS = "春天 夏天 秋天 冬天".split()
NUMBERS = "一 两 三 四 五 六 七 八 九".split()  # as one says them before 只, 个, 块
SAD = "哭了 急坏了 难过极了 掉下了眼泪".split()
GLAD = "笑了 乐坏了 高兴极了 开心极了".split()
FRUIT = "很好吃 又香又甜 真好吃".split()
SHARES = "股价上涨 股价下跌 股价又涨了".split()
BLOOMS = "开了 很香 真好看".split()
COSTS = "了两块钱 了五块钱 了八块钱".split()


def after(values, around=False):
    """Each value's successor; around: the first one follows the last."""
    return {v: [w] for v, w in zip(values, values[1:] + values[:1] * around)}


def each(values, meaning):
    return {value: meaning for value in values}


FACTS = {
    "he": each(HE + ["叔叔"], ["他"]) | each(SHE + ["阿姨"], ["她"]) | each(HOME + FAR, ["它"]),
    "food": {"小猫": ["鱼"], "小狗": ["骨头"], "小羊": ["青草"], "小兔": ["萝卜"], "小鸡": ["小米"],
             "小鸟": ["虫子"], "熊猫": ["竹子"], "猴子": ["桃子"]},
    "bare": {"小猫": ["猫"], "小狗": ["狗"], "小羊": ["羊"], "小兔": ["兔子"], "小鸡": ["鸡"], "小鸟": ["鸟"]},
    "act": {"厨房": ["做饭", "包饺子"], "教室": ["写字", "念书"], "操场": ["踢球", "跑步"],
            "市场": ["买菜", "挑西瓜"], "湖边": ["钓鱼", "洗衣服"], "田里": ["拔草", "种豆"],
            "车站": ["等车", "送朋友"], "公园": ["下棋", "放风筝"]},
    "measure": {"帽子": ["一顶"], "雨伞": ["一把"], "水杯": ["一个"], "围巾": ["一条"], "铅笔": ["一支"],
                "毛衣": ["一件"], "书包": ["一个"], "布鞋": ["一双"]},
    "capital": {"江西": ["南昌"], "湖南": ["长沙"], "海南": ["海口"], "陕西": ["西安"], "四川": ["成都"],
                "云南": ["昆明"], "浙江": ["杭州"], "山东": ["济南"]},
    "product": {"江西": ["橙子"], "湖南": ["腊肉"], "海南": ["椰子"], "陕西": ["石榴"], "四川": ["泡菜"],
                "云南": ["鲜花饼"], "浙江": ["粽子"], "山东": ["煎饼"]},
    "next": after(TIMES) | after(DAYS, True) | after(SEASONS, True),
    "sight": {"早上": ["太阳刚刚出来", "公鸡叫个不停", "草上有露水"], "中午": ["太阳在头顶上", "家家都在做饭"],
              "下午": ["风轻轻地吹着", "树影长长的"], "傍晚": ["晚霞真美", "太阳下山了", "炊烟升起来了"],
              "晚上": ["月亮升起来了", "星星一闪一闪", "到处静悄悄的"],
              "春天": ["桃花开了", "燕子回来了"], "夏天": ["荷花开了", "天热起来了"],
              "秋天": ["树叶落了", "大雁往南飞"], "冬天": ["河水结冰了", "下起了大雪"]},
    # two meanings: what stands before decides what follows 苹果, 花, 打 and 取
    "apple": each(["从树上摘下一个", "从篮子里拿出一个", "吃了一个"], FRUIT) |
             each(["买了一百股", "买进一百股", "卖了一百股"], SHARES),
    "flower": each(["花园里的", "门前的", "山上的"], BLOOMS) | each(["买铅笔", "坐车", "买米"], COSTS),
    "hit": {"球场上": ["篮球"], "井边": ["水"], "医院里": ["针"], "台上": ["鼓"], "家里": ["电话"]},
    "take": {"银行": ["钱"], "河边": ["水"], "邮局": ["信"], "学校": ["书"]},
    # cause and feeling
    "feeling": each(["丢了", "不见了", "弄丢了", "弄坏了", "弄脏了", "摔了一跤", "迷路了", "没有赶上车",
                     "输了比赛"], SAD) |
               each(["找到了", "找回来了", "送回来了", "得了第一名", "收到了礼物", "学会了游泳",
                     "赢了比赛"], GLAD) |
               {"股价上涨": GLAD, "股价下跌": SAD},
}

# ---- what is drawn: "slots": (kind, values) ----------------------------------------------------------------------

SLOTS = {
    "a b c": ("person", HE + SHE),
    "guest": ("guest", ["叔叔", "阿姨"]),
    "pet pet2": ("animal", HOME), "beast": ("animal", HOME + FAR),
    "place place2": ("place", list(FACTS["act"])), "yard": ("place", ["湖边", "公园", "田里", "操场"]),
    "thing thing2 thing3": ("thing", list(FACTS["measure"])),
    "colour colour2": ("colour", list("红蓝黄白")),
    "touch": ("touch", "毛茸茸 圆滚滚 胖乎乎 软绵绵".split()),
    "province": ("province", list(FACTS["capital"])),
    "name": ("name", [x + y for x in "豆米毛球云雪星团果乐花点贝圆糖月叶露泡饼" for y in "豆米球云宝朵团果乐花点星贝圆糖月叶泡饼儿"]),
    "cake": ("food", "饺子 包子 月饼 鸡蛋 橘子 汤圆".split()),
    "dish": ("dish", "面条 米饭 豆腐 馒头 饺子 炒饭".split()),
    "n": ("number", NUMBERS[1:6]), "m": ("number", NUMBERS[:3]), "many": ("number", NUMBERS[4:]),
    "morning": ("time", ["早上"]), "noon": ("time", ["中午", "下午"]), "day": ("time", DAYS), "season": ("time", SEASONS),
    "apple": ("spot", list(FACTS["apple"])), "flower": ("spot", list(FACTS["flower"])),
    "spot": ("spot", list(FACTS["hit"])), "office": ("spot", list(FACTS["take"])),
    "lost": ("luck", ["丢了", "不见了", "找到了", "找回来了"]),
    "deed": ("luck", ["弄丢了", "弄坏了", "弄脏了", "找到了", "找回来了", "送回来了"]),
    "luck": ("luck", "摔了一跤 迷路了 没有赶上车 输了比赛 得了第一名 收到了礼物 学会了游泳 赢了比赛".split()),
    "move": ("luck", ["股价上涨", "股价下跌"]),
    "pet_does": ("word", ["叫了两声", "抖了抖毛", "摇了摇尾巴"]),
    "one_does": ("word", ["说起话来", "笑了起来", "讲起故事来"]),
}
DIFFERENT = {"person", "animal", "place", "thing", "colour"}  # two slots of such a kind never have one value
COUPLE = {"a", "b"}             # a man and a woman, so that 他 and 她 have one reading
# Answers that exclude each other even where no fact has the others.
ALIKE = [TIMES, DAYS, SEASONS, ["他", "她", "它"]]
LOCAL = {"n", "m", "many"}      # drawn anew in each scene
INSTEAD = {"pet_does": "one_does", "one_does": "pet_does"}  # the wrong words

# ---- what is told: topic: (weight, at any time, only by day and in a mild season) ---------------------------------
# A document tells three scenes of three topics.

ANSWERS = "[说|回答]"
TOPICS = {
    "meeting": (4, [
        "{a}看见{b}，[{a.he}[笑了|挥了挥手]，对{b!2}说：“{b}，[你来了|你真早|你好]！”|"
        "{b.he}[笑了|挥了挥手]，对{a!2}说：“{a}，[你来了|你真早|你好]！”]",
        "{a}[抱着|带着]{pet}，[它{pet_does!2 pet.he}|{a.he}{one_does!2 a.he}]。",
        "{a}病了，{b}送来了{dish}，{a.he!2}吃完[就好了|就睡着了]。",
    ], [
        "{a}在{place}看见{b}，[{a.he}笑了，拉着{b!2}说：“{b}，我找你很久了。”|"
        "{b.he}笑了，拉着{a!2}说：“{a}，我找你很久了。”]",
        "{a}遇到{b}，[{a.he}问{b!2}：“你去哪里？”{b!6}说|{b.he}问{a!2}：“你去哪里？”{a!6}说]"
        "：“我去{place}{place.act!8}。”",
    ]),
    "gifts": (4, [
        "{a}送给{b}{thing2.measure}{colour2}{thing2}，{b.he!2}[说：“谢谢你。”|很喜欢。]",
        "{a}把{colour2}{thing2}[送给|借给]了{b}，{b.he!2}说：“谢谢你。”{a.he!2}说：“不用谢。”",
    ], []),
    "places": (4, [], [
        "{a}去{place}{place.act!8}，{a.he!1}[走得很快|带上了{pet}|高高兴兴的]。",
        "{b}在{place2}{place2.act!8}，{b.he!1}[忙了很久|有点累了|一点也不累]。",
        "{a}[想|要]{place.act}，{a.he!1}就[去了|来到]{place!8 place.act}。",
        "{a}来找{b}，说：“我们去{place2}{place2.act!8}吧。”{b!6}说：“好。”",
        "{b}问{a}：“你[想|要]做什么？”{a!6}" + ANSWERS + "：“我[想|要]去{place}{place.act!8}。”",
        "{a}在{place}{place.act!8}，{b}在{place2}{place2.act!8}，[他们都|大家都]很忙。",
    ]),
    "food": (4, [
        "{a}喂{pet}，{a.he!1}[拿来|找来]{pet.food!3}，{pet.he!1}吃得很香。",
        "{pet}饿了，{pet.he!1}想吃{pet.food!3}，{a}[马上|很快]拿来了。",
        "{a}问{b}：“{beast}[吃|爱吃]什么？”{b!6}" + ANSWERS + "：“[吃|爱吃]{beast.food!3}。”",
        "{a}[说|告诉{b}]：“{beast}[最|]爱吃{beast.food!3}。”",
        "{pet}吃{pet.food!3}，{pet2}吃{pet2.food!3}，{a}把它们都喂饱了。",
        "{a}[说|告诉{b}]：“{pet.bare}吃{pet.food!3}，{pet2.bare}吃{pet2.food!3}。”",
        "{b}给{pet}带来了{pet.food!3}，{pet.he!1}高兴地{pet_does!2 pet.he}。",
    ], []),
    "meanings": (4, [], [
        "{a}[说|告诉{b}]：“{flower}花{flower.flower!4}。”{b}点了点头。",
        "{b}问{a}：“{c}在哪里？”{a!6}" + ANSWERS + "：“{c}在{spot}打{spot.hit!4}。”",
        "{a}{apple}苹果，{a.he!1}说：“苹果{apple.apple!4}。”",
        "{a}{apple}苹果，{a.he!1}告诉{b}：“苹果{apple.apple!4}。”",
        "{b}在{spot}打{spot.hit!4}，{b.he!1}[看见了{a}|没有看见{a}]。",
        "{a}去{office}取{office.take!4}，{a.he!1}[很快就回来了|在路上遇到了{b}]。",
        "{b}看见{a}，问：“你去哪里？”{a!6}说：“我去{office}取{office.take!4}。”",
    ]),
    "names": (7, [
        "{a}有一只{touch}的{pet}，叫{name}。{name!5}最爱吃{pet.food!3}，{a}一喊{name!5}，{pet.he}就过来了。",
        "{b}看见{a}的{pet}，问：“它叫什么？”{a!6}说：“它叫{name}。”{b.he!2}说：“{name!5}，[你好|过来]！”",
        "{c}送给{a}一只{pet}，{a}叫它{name}。{b}也喜欢{name!5}，天天来看{name!5}。",
        "{a}的{pet}叫{name}，{b}给{name!5}带来了{pet.food!3}，{name!5}吃得很香。",
        "{a}的{pet}{name}不见了，{a.he!1}到处找{name!5}，{b}抱着{name!5}回来了。",
    ], []),
    "questions": (2, [
        "“你吃过饭了吗？”{b}问{a}。{a!6}" + ANSWERS + "：“吃过了，吃的是{dish}。”",
        "{a}问{b}：“你爱吃什么？”{b!6}" + ANSWERS + "：“我爱吃{dish}。”",
        "“{b}，你想要什么？”{a}问。{b!6}" + ANSWERS + "：“我想要{thing.measure}{colour}{thing}。”",
    ], []),
    "sums": (6, [
        "{a}有{n}个{cake}，{b}又给了{a.he!2}{m}个，一共{n+m!9}个。",
        "{a}有{many}个{cake}，吃了{m}个，还[有|剩]{many-m!9}个。",
        "{a}数了数，门前有{n}只{pet}，门后有{m}只，一共{n+m!9}只。",
        "{b}有{many}块糖，分给{a}{m}块，还[有|剩]{many-m!9}块。",
        "{a}问{b}：“{n}个{cake}加{m}个{cake}是几个？”{b!6}说：“是{n+m!9}个。”",
    ], [
        "{yard}来了{n}只{pet}，又来了{m}只，一共{n+m!9}只。",
        "{yard}有{many}只{pet}，[走|跑]了{m}只，还[有|剩]{many-m!9}只。",
        "{a}种了{n}棵树，{b}种了{m}棵，一共{n+m!9}棵。",
        "树上有{many}只麻雀，飞走了{m}只，还[有|剩]{many-m!9}只。",
    ]),
    "provinces": (4, [
        "{a}问{b}：“{province}的省会是哪里？”{b!6}" + ANSWERS + "：“是{province.capital!10}。”",
        "小沈阳{province}演唱会邀请了{a}和{b}，[{a}|{b}]坐火车去了{province.capital!10}。",
        "{a}买来{province}的{province.product!10}，请{b}吃，{b.he!2}说：“真好吃。”",
        "村里来了一位{guest}，{guest.he!1}是{province}人，家在{province.capital!10}，最爱吃{province.product!10}。",
        "{b}去{province}看朋友，从{province.capital!10}带回了{province.product!10}。",
    ], []),
    "looks": (8, [
        "{a}的{thing}{colour}{colour}的，{b}说：“你的{thing}{colour!11}{colour}的，真好看。”",
        "{a}有{thing.measure}{colour}{thing}，{b}也想要{thing.measure}{colour!11}{thing!11}。",
        "{a}有{thing.measure}{colour}{thing}，{b}借走了{colour!11}{thing!11}。",
        "{b}的{thing}是{colour}的，{a}说：“我也有{thing.measure}{colour!11}{thing!11}。”",
        "{b}的{thing}是{colour}的，{a}问：“你的{thing}是什么颜色？”{b!6}说：“我的{thing}是{colour!11}的。”",
    ], [
        "{yard}来了一个{touch}的{colour}色小怪物，{a}说：“你好，{touch!11}的{colour!11}色小怪物。”",
        "{a}看见一个{touch}的{colour}色小怪物，它说：“我是{touch!11}的{colour!11}色小怪物。”",
    ]),
    "feelings": (5, [
        "{a}的{thing3}{lost}，{a.he!1}{lost.feeling!12}。",
        "{b}把{a}的{thing3}{deed}，{a}{deed.feeling!12}。",
        "{a}{luck}，{a.he!1}{luck.feeling!12}。",
        "{b}{luck}，{b.he!1}{luck.feeling!12}。",
        "{a}有一百股苹果，苹果{move}，{a.he!1}{move.feeling!12}。",
    ], []),
    "who": (6, [
        "{a}有{thing}，{c}没有。{c}想借{thing}，就去找{a!13}，{a.he}说：“拿去吧。”",
        "桌上的{thing}是{b}的。{c}问：“这是谁的{thing}？”{b!13}说：“是我的。”",
    ], [
        "{c}问{a}：“{b}在做什么？”{a!6}说：“{b}在{place2.act}。”{c}也想{place2.act!13}。",
        "{a}在{place}{place.act!8}。{c}来到{place}，[看见了|找到了]{a!13}。",
        "{b}问{a}：“{c}在哪里？”{a!6}说：“{c}在{place}。”{b}就去{place!13}找{c!13}。",
    ]),
    "dates": (2, [], [
        "{a}说：“今天是{day}，明天是{day.next!7}，我要去{place}{place.act!8}。”",
        "{a}问{b}：“今天是{day}，明天星期几？”{b!6}说：“明天是{day.next!7}。”",
        "{b}说：“昨天是{day}，今天是{day.next!7}。”{a}说：“明天是{day.next.next!7}。”",
    ]),
}

# Documents: (weight, [(how a scene begins, by day?), …]). Nobody says a date where the days are told.
DOCUMENTS = [
    (6, [("{morning}，[|{morning.sight}，]", True), ("{morning.next!7}，[|{morning.next.sight}，]", True),
         ("{morning.next.next!7}，[|{morning.next.next.sight}，]", True)]),
    (4, [("{noon}，[|{noon.sight}，]", True), ("{noon.next!7}，[|{noon.next.sight}，]", False),
         ("{noon.next.next!7}，[|{noon.next.next.sight}，]", False)]),
    (3, [("{season}，{season.sight!7}，", False), ("{season.next!7}[|到了]，{season.next.sight!7}，", False),
         ("{season.next.next!7}[|到了]，{season.next.next.sight!7}，", False)]),
    (3, [("{day}，", True), ("{day.next!7}，", True), ("{day.next.next!7}，", True)]),
    (4, [("[有一天|有一回|那天|吃过饭]，", True), ("[后来|过了一会儿]，", True), ("[第二天|最后]，", True)]),
]
NO_DATES = {"season", "day"}  # beginnings that say a date of their own
SHORTEST, LONGEST = 60, 120   # characters of a document

# ---- what is asked -----------------------------------------------------------------------------------------------

# Pairs of kinds that are held out: an eighth of their combinations occur in no document.
PAIRS = [("person", "person"), ("person", "place"), ("animal", "person"), ("person", "province"), ("person", "thing"),
         ("person", "time"), ("person", "spot"), ("person", "luck"),
         ("animal", "sum"), ("food", "sum"), ("name", "name")]
# The combinations that make a question about a rule a new one; one of its values decides the answer or is it.
NEW = {
    1: [("person", "person"), ("person", "place"), ("person", "thing"), ("animal", "person"), ("person", "luck")],
    2: [("person", "person"), ("animal", "person")],
    3: [("animal", "person")],
    4: [("person", "spot")],
    5: [("name", "name")],
    6: [("person", "person")],
    7: [("person", "time")],
    8: [("person", "place")],
    9: [("animal", "sum"), ("food", "sum")],
    10: [("person", "province")],
    11: [("person", "thing")],
    12: [("person", "luck")],
    13: [("person", "person"), ("person", "place"), ("person", "thing")],
}
# Sentences in a form in which nothing is told; each asks about one rule.
FORMS = [
    "{a}找到了{thing}，{a.he!1}", "{a}从{province}回来了，{a.he!1}", "{pet}又饿了，{pet.he!1}",
    "{a}遇到{b}，{a.he}笑了，对{b!2}说", "{a}想喂{pet}，它{pet_does!2 pet.he}", "{b}喊{a}，{b.he}问{a!2}",
    "{a}看见{pet}饿了，拿来{pet.food!3}", "{b}说：“我的{pet}爱吃{pet.food!3}。”", "{pet}来了，它要吃{pet.food!3}",
    "{a}来到{office}取{office.take!4}", "{c}在{spot}，{c.he}打{spot.hit!4}", "{a}{apple}苹果，{b}也说：“苹果{apple.apple!4}。”",
    "{a}的{pet}叫{name}，{b}喂{name!5}", "{b}抱着{name}，{a}也想抱{name!5}", "{a}看见{name}，{name!5}也看见了{a}",
    "{a}去问{b}：“谁有{thing}？”{b!6}说", "“{a}，你饿了吗？”{b}问。{a!6}说", "{b}看见{a}，问：“你吃什么？”{a!6}说",
    "{a}说今天是{day}，明天是{day.next!7}", "今天是{day}，{a}很忙。明天是{day.next!7}",
    "昨天是{day}，{a}迷路了。今天是{day.next!7}",
    "{b}说：“我在{place}{place.act!8}", "{a}和{b}在{place}{place.act!8}", "{a}马上去{place}{place.act!8}",
    "{a}买了{n}个{cake}，又买了{m}个，一共{n+m!9}个", "{yard}有{n}只{pet}，又来了{m}只，一共{n+m!9}只",
    "{b}有{many}个{cake}，给了{a}{m}个，还剩{many-m!9}个",
    "{b}是{province}人，家在{province.capital!10}", "{b}送给{a}{province}的{province.product!10}",
    "{a}从{province}回来了，带回了{province.product!10}",
    "{a}的{thing}是{colour}的，{b}借走了{colour!11}",
    "{a}有{thing.measure}{colour}{thing}，{b}说：“我也有{thing.measure}{colour!11}",
    "{a}的{thing}{colour}{colour}的，{b}也说{thing}{colour!11}", "{b}找到了{a}的{colour}{thing}，{a}说：“我的{colour}{thing!11}",
    "{a}说{thing}{lost}，{a.he}{lost.feeling!12}", "昨天{b}{luck}，{b.he}{luck.feeling!12}", "{a}看见{b}{luck}，{b.he}{luck.feeling!12}",
    "{a}在{place}，{c}去{place}找{a!13}", "{a}有{thing}，{c}问{a}：“谁有{thing}？”{a!13}",
    "{b}在{place}，{c}说{b}在{place!13}",
]
