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
    6: ("问谁谁答", "who is asked answers"),
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
    "inside": {"厨房": ["厨房里"], "教室": ["教室里"], "操场": ["操场上"], "市场": ["市场里"], "湖边": ["湖边"],
               "田里": ["田里"], "车站": ["车站里"], "公园": ["公园里"]},
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
    "n": ("number", NUMBERS[:8]), "m": ("number", NUMBERS[:3]), "many": ("number", NUMBERS[1:]),
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
SUMS = ["n+m", "many-m"]        # m is drawn so that the result is one of NUMBERS
INSTEAD = {"pet_does": "one_does", "one_does": "pet_does"}  # the wrong words

# ---- what is told: topic: (weight, at any time, only by day and in a mild season) ---------------------------------
# A document tells three scenes of three topics.

ANSWERS = "[说|回答]"
ADDS, LEFT = "[一共|一共有|一共是]", "[还有|还剩]"


def does_to(who):
    """What somebody does to the other one."""
    return ("[对WHO说：“你好。”|问WHO：“你好吗？”|拉着WHO走了。|喊：“WHO！”|喜欢WHO。|给WHO讲故事。|想WHO了。|"
            "天天来看WHO。|来找WHO。|要去看WHO。|去找WHO。|告诉WHO：“我很高兴。”]").replace("WHO", "{%s!2}" % who)


EITHER = "，[{a.he}" + does_to("b") + "|{b.he}" + does_to("a") + "]"


def asked(question, answer):
    """{a} asks {b}, in several ways, and is answered."""
    return ("[{a}[问|又问|去问]{b}：“QUESTION”|{a}[看见|遇到|拉着]{b}，问：“QUESTION”|“QUESTION”{a}问{b}。|"
            "{a}[问|喊]：“{b}，QUESTION”|“{b}，QUESTION”{a}问。|{a}对{b}说：“QUESTION”]").replace("QUESTION", question) + \
        "{b!6}" + ANSWERS + "：“" + answer + "”"


def counted(verb):
    """{n} things and {m} more."""
    return ("{a}VERB{n}个{cake}，[又VERB|{b}VERB|{b}又VERB]{m}个，[一共|一共有|一共VERB|他们一共VERB]{n+m!9}个。").replace("VERB", verb)


def anybody(sentence):
    """{a}, a pet or a guest does it: three sentences."""
    return [sentence.replace("WHO", who) for who in ("a", "pet", "guest")]


TOPICS = {
    "meeting": (7, [
        "{a}看见{b}，[{a.he}[笑了|挥了挥手]，对{b!2}说：“{b}，[你来了|你真早|你好]！”|"
        "{b.he}[笑了|挥了挥手]，对{a!2}说：“{a}，[你来了|你真早|你好]！”]",
        "{a}[看见|遇到|喊|来找|去找|喜欢|想|拉着]{b}" + EITHER,
        "{a}和{b}[在家中|在门前|走了很久|吃过饭]" + EITHER,
        "{a}[抱着|带着|想喂|看见|喜欢]{pet}，[它{pet_does!2 pet.he}|{a.he}{one_does!2 a.he}]。",
        "{pet}[来找|看见|喜欢]{a}，[它{pet_does!2 pet.he}|{a.he}{one_does!2 a.he}]。",
        "{a}病了，{b}[送来|拿来]了{dish}，{a.he!2}吃完[就好了|就睡着了]。",
        "{a}说：“{b}，[你过来|过来]。”{b.he!2}就过来了。",
        "{a}[来了|回来了]，{b}看见{a.he!2}，[高兴极了|挥了挥手|笑了]。",
    ], [
        "{a}在{place}看见{b}，[{a.he}笑了，拉着{b!2}说：“{b}，我找你很久了。”|"
        "{b.he}笑了，拉着{a!2}说：“{a}，我找你很久了。”]",
        "{a}遇到{b}，[{a.he}问{b!2}：“你去哪里？”{b!6}说|{b.he}问{a!2}：“你去哪里？”{a!6}说]"
        "：“我去{place}{place.act!8}。”",
        "{a}[在{place}遇到|去{place}找]{b}" + EITHER,
        "{a}和{b}[在|来到]{place}" + EITHER,
    ]),
    "daily": (5, [
        "{a}[很忙|没有{thing}|买了{thing}|吃过饭|喜欢{cake}|病了|洗衣服|写字]，{a.he!1}[想回家|很高兴|看见了{c}|来找{c}|天天很忙]。",
        *anybody("{WHO}[很累|饿了|来了|回来了|找到了{c}|回到家中|吃了{cake}|喜欢{c}]，{WHO.he!1}[想回家|很高兴|看见了{c}|来找{c}|一点也不累]。"),
        *anybody("{WHO}[饿了|很累|来了|回来了]，[走到门前|走了很久|看了看]，{WHO.he!1}[想回家|很高兴|看见了{c}]。"),
        *anybody("{WHO}在[家中|门前|路上|桌前|门后]，{WHO.he!1}[看见了{c}|很高兴|想回家|睡着了|在等{c}]。"),
    ], [
        *anybody("{WHO}[走|跑|来|回]到{place}，{WHO.he!1}[很高兴|看见了{c}|一点也不累|在等{c}]。"),
        *anybody("{WHO}在{place}[睡着了|迷路了|走来走去|看见{c}]，{WHO.he!1}[很高兴|一点也不累|想回家]。"),
    ]),
    "gifts": (3, [
        "{a}[送给|借给]{b}{thing2.measure}{colour2}{thing2}，{b.he!2}[说：“谢谢你。”|很喜欢。]",
        "{a}把{colour2}{thing2}[送给|借给]了{b}，{b.he!2}说：“谢谢你。”{a.he!2}说：“不用谢。”",
        "{b}找到了{a}的{thing2}，{a.he!2}对{b!2}说：“谢谢你。”",
        "{a}给[了|]{b}[{dish}|{cake}|{thing2}]，{b.he!2}[对{a!2}说：“谢谢你。”|高兴极了。|很喜欢。]",
        "{b}收到[了|]{a}的礼物，{b.he!2}[对{a!2}说：“谢谢你。”|高兴极了。]",
        "{b}[借走了|拿走了]{a}的{thing2}，{a.he!2}[找{b!2}很久了|去问{b!2}]。",
    ], []),
    "places": (7, [], [
        "{a}去{place}{place.act!8}，{a.he!1}[走得很快|带上了{pet}|高高兴兴的]。",
        "{b}在{place2}{place2.act!8}，{b.he!1}[忙了很久|有点累了|一点也不累]。",
        "{a}[想|要]{place.act}，{a.he!1}就[去了|来到]{place!8 place.act}。",
        "{a}来找{b}，说：“我们去{place2}{place2.act!8}吧。”{b!6}说：“好。”",
        "{b}问{a}：“你[想|要]做什么？”{a!6}" + ANSWERS + "：“我[想|要]去{place}{place.act!8}。”",
        "{a}在{place}{place.act!8}，{b}在{place2}{place2.act!8}，[他们都|大家都]很忙。",
        "{a}说：“我在{place}{place.act!8}。”{b}说：“我在{place2}{place2.act!8}。”",
        "[{a}和{b}|大家|{a}的朋友|{guest}][在|去|来|都在|都去]{place}{place.act!8}，{c}[也去了|没有去]。",
        "{a}[马上|天天|又|很快][去|到|来]{place}{place.act!8}。",
        "{a}[不在|没有去]{place2}，{a.he!1}[在|去]{place}{place.act!8}。",
        "{a}喜欢{place.act}，{a.he!1}天天去{place!8 place.act}。",
        "{b}[说|告诉{c}]：“{a}去{place}了，{a.he!1}[想|要]{place.act!8}。”",
        "{a}问{b}：“我们去哪里{place.act}？”{b!6}" + ANSWERS + "：“去{place!8 place.act}。”",
        "{a}[说|问]：“我们去{place.act}[，好吗？|吧。]”{b}[拉着|带着]{a.he}[去了|来到]{place!8 place.act}。",
        "{a}[天天|又|还]{place.act}，{a.he!1}[在|来到|去]{place!8 place.act}，{b}没有去。",
        "{b}[在|去]{place.act}，{a}[到|去|来到]{place!8 place.act}找{b}。",
        "{b}[带着|抱着|拉着]{pet}去{place2}{place2.act!8}。",
        "{a}来到{place}，{a.he!1}[在|想|要|忙着]{place.act!8}。",
        "[{a}|{guest}][又|还|]在{place.inside}{place.act!8 place.inside}，{b}也在{place.inside}。",
    ]),
    "food": (4, [
        "{a}喂{pet}，{a.he!1}[拿来|找来]{pet.food!3}，{pet.he!1}吃得很香。",
        "{pet}饿了，{pet.he!1}想吃{pet.food!3}，{a}[马上|很快]拿来了。",
        asked("{beast}[吃|爱吃|最爱吃]什么？", "[吃|爱吃|]{beast.food!3}。"),
        "{a}[说|告诉{b}]：“{beast}[最|]爱吃{beast.food!3}。”",
        "{pet}吃{pet.food!3}，{pet2}吃{pet2.food!3}，{a}把它们都喂饱了。",
        "{a}[说|告诉{b}]：“{pet.bare}吃{pet.food!3}，{pet2.bare}吃{pet2.food!3}。”",
        "{b}给{pet}带来了{pet.food!3}，{pet.he!1}高兴地{pet_does!2 pet.he}。",
        "[{pet}|{a}的{pet}|家中的{pet}|村里的{pet}][吃|爱吃|最爱吃|天天吃|在吃|想吃|要吃|吃起了|要吃的是]{pet.food!3}[。|，{b}看见了。]",
        "{a}[拿来|找来|带来|买来]了{pet}[爱吃|最爱吃|想吃]的{pet.food!3}。",
        "{a}看见{pet}[饿了|来了|在叫]，[马上|很快|就|]拿来{pet.food!3}。",
        "{a}[给|又给]{pet}[拿来了|买来了|吃]{pet.food!3}，给{pet2}[拿来了|买来了|吃]{pet2.food!3}。",
        "{pet}[来|来到{a}家]，{pet.he!1}[要|想]吃{pet.food!3}。",
        "{pet}最爱吃{pet.food!3}，{pet2}最爱吃{pet2.food!3}。",
        "{beast}不吃{pet.food}，{beast.he!1}[爱|]吃{beast.food!3}，{a}说。",
        "[{a}|{guest}|大家][看见|喜欢]{beast}，{beast.he!1}[在吃|想吃|最爱吃]{beast.food!3}。",
        "{pet}很饿，{a}给{pet.he!1}[拿来了|买来了|吃]{pet.food!3}。",
    ], []),
    "meanings": (5, [], [
        "{a}[说|问|告诉{b}|对{b}说]：“{flower}花{flower.flower!4}。”",
        "{flower}花{flower.flower!4}，{a}[看了看|告诉{b}|很高兴]。",
        "{b}问{a}：“{c}在哪里？”{a!6}" + ANSWERS + "：“{c}在{spot}打{spot.hit!4}。”",
        "{a}{apple}苹果，{a.he!1}[说|告诉{b}]：“苹果{apple.apple!4}。”",
        "{a}{apple}苹果，{b}[说|也说|告诉{a}]：“苹果{apple.apple!4}。”",
        "[{b}看见|昨天|]{a}{apple}苹果，苹果{apple.apple!4}。",
        "{b}在{spot}打{spot.hit!4}，{b.he!1}[看见了{a}|没有看见{a}]。",
        "[{a}和{b}|大家|{c}|{guest}][去|在|来到|一起在]{spot}打{spot.hit!4}，[打了很久|很高兴]。",
        "{a}在{spot}，{a.he!1}[在|想|要]打{spot.hit!4}。",
        "{a}[去|到|来到|在]{office}取{office.take!4}，{a.he!1}[很快就回来了|在路上遇到了{b}]。",
        "{b}看见{a}，问：“你去哪里？”{a!6}说：“我去{office}取{office.take!4}。”",
        "{a}从{office}[取来了|取回了|取了]{office.take!4}，{b}也去了。",
        "{a}[马上|天天|很快]去{office}取{office.take!4}。",
        "{a}来到{office}，{a.he!1}[在|想|要]取{office.take!4}。",
    ]),
    "names": (6, [
        "{a}有一只{touch}的{pet}，叫{name}。{name!5}最爱吃{pet.food!3}，{a}一喊{name!5}，{pet.he}就过来了。",
        "{b}看见{a}的{pet}，问：“它叫什么？”{a!6}说：“它叫{name}。”{b.he!2}说：“{name!5}，[你好|过来]！”",
        "{c}送给{a}一只{pet}，{a}叫它{name}。{b}也喜欢{name!5}，天天来看{name!5}。",
        "{a}的{pet}叫{name}，{b}给{name!5}带来了{pet.food!3}，{name!5}吃得很香。",
        "{a}的{pet}{name}不见了，{a.he!1}到处找{name!5}，{b}抱着{name!5}回来了。",
        "[{a}的{pet}叫{name}|{name}[饿了|病了|来了]|{a}[看见|遇到|抱着|喜欢]{name}]，[{b}|{c}][也喜欢|喂|抱着|来看|给{dish}]{name!5}。",
        "[{name}饿了|{a}的{pet}叫{name}|{a}[看见|抱着|喜欢]{name}]，{name!5}[看见了{b}|叫了两声|很高兴|也喜欢{b}]。",
        "{a}喊：“{name}，[过来|你好]！”{name!5}就过来了。",
        "“{name}，{name!5}，你在哪里？”{a}到处找{name!5}。",
        "{a}叫{pet}{name}，{b}也叫{pet.he!1}{name!5}。",
    ], [
        "{a}问{b}：“[你看见{name}了吗|{name}在哪里]？”{b!6}" + ANSWERS + "：“{name!5}在{place}。”{a}就去{place!13}找{name!5}。",
    ]),
    "questions": (4, [
        asked("你吃过饭了吗？", "吃过了，吃的是{dish}。"),
        asked("你爱吃什么？", "我爱吃{dish}。"),
        asked("你想要什么？", "我想要{thing.measure}{colour}{thing}。"),
        asked("谁有{thing}？", "我有。"),
        asked("你饿吗？", "[有点|很|一点也不]饿。"),
        asked("你累吗？", "[有点|很|一点也不]累。"),
        asked("你吃什么？", "我吃{dish}。"),
        asked("谁来了？", "{c}来了。"),
        asked("你喜欢{c}吗？", "[很喜欢|喜欢]。"),
        asked("你去哪里？", "我[回家|去看{c}]。"),
        asked("你有{thing}吗？", "[我有|没有]。"),
        asked("谁借走了我的{thing}？", "是[我|{c}]。"),
    ], []),
    "sums": (11, [
        "{a}有{n}个{cake}，{b}又给了{a.he!2}{m}个，" + ADDS + "{n+m!9}个。",
        "{a}数了数，门前有{n}只{pet}，门后有{m}只，" + ADDS + "{n+m!9}只。",
        "{a}问{b}：“{n}个{cake}加{m}个{cake}是几个？”{b!6}说：“是{n+m!9}个。”",
        "“{n}只{pet}加{m}只{pet}是几只？”{a}问{b}。{b!6}说：“是{n+m!9}只。”",
        *map(counted, "买了 吃了 拿来 有 带来了 收到".split()),
        "{a}有{n}只{pet}，{b}有{m}只，[一共|一共有|他们一共有]{n+m!9}只。",
        "桌上有{n}个{cake}，[{a}|{b}][又拿来|又送来]{m}个，" + ADDS + "{n+m!9}个。",
        "{a}[说|告诉{b}]：“{n}只{pet}和{m}只{pet}，" + ADDS + "{n+m!9}只。”",
        "{a}写了{n}个字，[又|{b}]写了{m}个，[一共|一共有|他们一共有]{n+m!9}个。",
        "{a}有{n}块钱，{b}又给了{m}块，[{a.he!1}|]" + ADDS + "{n+m!9}块。",
    ], [
        "{yard}来了{n}只{pet}，又来了{m}只，" + ADDS + "{n+m!9}只。",
        "{yard}有{n}只{pet}，[{a}又带来了|又来了]{m}只，" + ADDS + "{n+m!9}只。",
        "{a}种了{n}棵树，[又|{b}|{b}又]种了{m}棵，[一共|一共有|一共种了]{n+m!9}棵。",
    ]),
    "differences": (11, [
        "{a}有{many}个{cake}，吃了{m}个，" + LEFT + "{many-m!9}个。",
        "{b}有{many}块糖，分给{a}{m}块，" + LEFT + "{many-m!9}块。",
        "{a}[有|买了|拿来]{many}个{cake}，[给了{b}|分给{b}|送给{b}|{b}吃了|{b}拿走了]{m}个，[{a.he}|]" + LEFT + "{many-m!9}个。",
        "[桌上|家中|{a}家]有{many}个{cake}，[{a}拿走了|{a}吃了|{b}吃了|送给{b}]{m}个，" + LEFT + "{many-m!9}个。",
        "[家中|门前|{a}家]有{many}只{pet}，[{m}只[不见|走|跑]了|[走|跑]了{m}只|{b}抱走了{m}只]，" + LEFT + "{many-m!9}只。",
        "“{many}个{cake}，吃了{m}个，还[有|剩]几个？”{a}问{b}。{b!6}说：“" + LEFT + "{many-m!9}个。”",
        "{a}有{many}块钱，[花了|丢了|给了{b}]{m}块，[{a.he!1}|]" + LEFT + "{many-m!9}块。",
        "{b}拿来{many}块糖，{a}吃了{m}块，[桌上|]" + LEFT + "{many-m!9}块。",
    ], [
        "{yard}有{many}只{pet}，[走|跑]了{m}只，" + LEFT + "{many-m!9}只。",
        "树上有{many}只麻雀，飞走了{m}只，" + LEFT + "{many-m!9}只。",
        "{many}只{pet}在{yard}，{m}只[走|跑]了，" + LEFT + "{many-m!9}只。",
    ]),
    "provinces": (5, [
        asked("{province}的省会[是|在]哪里？", "[是|在]{province.capital!10}。"),
        "小沈阳{province}演唱会邀请了{a}和{b}，[{a}|{b}]坐火车去了{province.capital!10}。",
        "小沈阳{province}演唱会邀请了{a}，{a}[坐火车|很快|]去了{province.capital!10}。",
        "{a}买来{province}的{province.product!10}，请{b}吃，{b.he!2}说：“真好吃。”",
        "村里来了一位{guest}，{guest.he!1}是{province}人，家在{province.capital!10}，最爱吃{province.product!10}。",
        "{b}去{province}看朋友，从{province.capital!10}带回了{province.product!10}。",
        "[{a}|{a}的朋友|{guest}]是{province}人，家在{province.capital!10}。",
        "[{a}|{a}的朋友|{guest}]家在{province}[的|，在]{province.capital!10}。",
        "[{a}|{b}]是{province}人，[最爱吃|爱吃|天天吃]{province.product!10}。",
        "{a}[爱吃|想吃|送来|带来了|买了]{province}的{province.product!10}，{b}也想吃。",
        "[{a}去了{province}|{a}从{province}回来了]，[带回了|买了|送给{b}]{province.product!10}。",
        "{a}[说|告诉{b}]：“{province}的省会是{province.capital!10}。”",
        "{a}[去|要去|想去|到]{province}，[{a.he!1}|][坐火车|很快|马上][到|去]{province.capital!10}。",
        "{b}问{a}：“{province}有什么好吃的？”{a!6}" + ANSWERS + "：“[有|]{province.product!10}。”",
        "{a}到了{province}，在{province.capital!10}遇到了{b}。",
        "{province}的{guest}[送来了|带来了|买来了|送给{a}]{province.product!10}。",
    ], []),
    "looks": (7, [
        "{a}的{thing}{colour}{colour}的，{b}说：“你的{thing}{colour!11}{colour}的，真好看。”",
        "{b}的{thing}是{colour}的，{a}问：“你的{thing}是什么颜色？”{b!6}说：“我的{thing}是{colour!11}的。”",
        "{a}有{thing.measure}{colour}{thing}，{b}[也想要|也有|也买了]{thing.measure}{colour!11}{thing!11}。",
        "{b}的{thing}是{colour}的，[{a}说：“我[也有|想要]{thing.measure}{colour!11}{thing!11}。”|{a}也[买了|有]{thing.measure}{colour!11}{thing!11}。]",
        "{a}[有|买了|送来|看见|找到|喜欢]{thing.measure}{colour}{thing}，{b}[借走了|拿走了|很喜欢|也想要|看见了|找到了]{colour!11}{thing!11}。",
        "{a}的{thing}是{colour}的，[{b}[借走了|拿走了|很喜欢|也想要]|{a.he}天天带着]{colour!11}{thing!11}。",
        "{a}[有|买了|带着]{thing.measure}{colour}{thing}，{a.he!1}[很喜欢|天天带着|带上了]{colour!11}{thing!11}。",
        "{a}[有|找到了|丢了]{thing.measure}{colour}{thing}，{b}[说：“你的{colour!11}{thing!11}真好看。”|问：“这是谁的{colour!11}{thing!11}？”]",
        "桌上有{thing.measure}{colour}{thing}，{a}说：“[这|]{colour!11}{thing!11}是我的。”",
        "{a}[喜欢|想要|到处找]{colour}{thing}，{b}[送给|借给|拿来]{a.he!2}{thing.measure}{colour!11}{thing!11}。",
        "{a}的{thing}{colour}{colour}的，{b}[也说|看见]{thing}{colour!11}{colour}的。",
    ], [
        "{yard}来了一个{touch}的{colour}色小怪物，{a}说：“你好，{touch!11}的{colour!11}色小怪物。”",
        "{a}看见一个{touch}的{colour}色小怪物，它说：“我是{touch!11}的{colour!11}色小怪物。”",
        "[{yard}来了|{a}看见|{a}喜欢|村里有]一个{touch}的{colour}色小怪物，{b}[也喜欢|也看见|喊|抱着]{touch!11}的{colour!11}色小怪物。",
        "{a}看见一个{touch}的{colour}色小怪物，{b}说{touch!11}的{colour!11}色小怪物真好看。",
        "[{yard}来了|{a}看见|村里有]一个{touch}的{colour}色小怪物，{touch!11}的{colour!11}色小怪物[笑了|饿了]。",
    ]),
    "feelings": (5, [
        "{a}的{thing3}[{lost}，{a.he!1}{lost.feeling!12}|{deed}，{a.he!1}{deed.feeling!12}]。",
        "{b}把{a}的{thing3}{deed}，[{a}|]{deed.feeling!12}。",
        "[|今天|昨天|{b}看见|{b}说]{a}{luck}，[{a.he}|{a}|]{luck.feeling!12}。",
        "{b}{luck}，{b.he!1}{luck.feeling!12}。",
        "{pet}[{luck}，{pet.he!1}{luck.feeling!12}|{lost}，{a}{lost.feeling!12}]。",
        "{a}有一百股苹果，苹果{move}，{a.he!1}{move.feeling!12}。",
        "{b}[说|告诉{a}]：“我{luck}。”[{b.he!1}|{b}]{luck.feeling!12}。",
        "{thing3}[{lost}，{a}{lost.feeling!12}|{deed}，{a}{deed.feeling!12}]。",
        "{a}和{b}{luck}，[他们都|大家都|都]{luck.feeling!12}。",
        "{a}[说|看见]{thing3}[{lost}，{a.he!1}{lost.feeling!12}|{deed}，{a.he!1}{deed.feeling!12}]。",
        "苹果{move}，[{a}|{a}和{b}都]{move.feeling!12}。",
    ], []),
    "who": (7, [
        "{a}有{thing}，{c}没有。{c}想借{thing}，就去找{a!13}，{a.he}说：“拿去吧。”",
        "桌上的{thing}是{b}的。{c}问：“这是谁的{thing}？”{b!13}说：“是我的。”",
        "{a}有{thing}，{c}[没有|想借|想要|也想要][，|。]{c}[就去找|去问|去找|就喊|问]{a!13}。",
        "{c}[没有|想借|想要]{thing}[，|。]{a}有{thing}，{c}[就去找|去问|去找|就喊|问]{a!13}。",
        "“谁有{thing}？”{c}问。{a}[有|说：“我有。”]{c}[就去找|去找|就问]{a!13}。",
        "[桌上有{a}的{thing}|{thing}是{a}的]，{c}说：“这[{thing}|]是{a!13}的。”",
        "{b}说：“{thing}是我的。”{c}就[把{thing}给了|去找|问]{b!13}。",
    ], [
        "{c}问{a}：“{b}在做什么？”{a!6}说：“{b}在{place2.act}。”{c}也想{place2.act}。",
        "{a}在{place}{place.act!8}。{c}来到{place}，[看见了|找到了]{a!13}。",
        "{b}问{a}：“{c}在哪里？”{a!6}说：“{c}在{place}。”{b}就去{place!13}找{c!13}。",
        "{a}[在|去了|来到]{place}，{c}[也去了|也来到|就去|来到|也在]{place!13}。",
        "{a}[在|去了|来到]{place}，{c}[去|就去|也来]{place!13}找{a!13}。",
        "{c}想找{b}，{b}在{place}，{c}就[去了|来到]{place!13}，[看见了|找到了]{b!13}。",
        "“{b}在哪里？”{c}问{a}。{a!6}说：“在{place}。”{c}就[来到|去]{place!13}找{b!13}。",
        "{b}在{place}，{c}[说|告诉{a}]{b}在{place!13}。",
    ]),
    "dates": (5, [
        "{season}过了，{season.next!7}来了，{a}很高兴。",
        "{a}[说|告诉{b}]：“{season}过了[是|就是]{season.next!7}。”",
        "{a}[喜欢{season}|{season}很忙]，{season}过了[是|就是]{season.next!7}。",
        "{a}问{b}：“{season}过了是什么？”{b!6}说：“是{season.next!7}。”",
    ], [
        "{a}说：“今天是{day}，明天是{day.next!7}，我要去{place}{place.act!8}。”",
        "{a}问{b}：“今天是{day}，明天星期几？”{b!6}说：“明天是{day.next!7}。”",
        "{b}说：“昨天是{day}，今天是{day.next!7}。”{a}说：“明天是{day.next.next!7}。”",
        "{a}说今天是{day}，明天是{day.next!7}。",
        "{a}[说|告诉{b}]：“[昨天是{day}，今天|今天是{day}，明天|今天是{day}，明天就]是{day.next!7}。”",
        "{a}{day}很忙，{day.next!7}去{place}{place.act!8}。",
        "过了{day}就是{day.next!7}，{a}要去{place}{place.act!8}。",
    ]),
}

# Documents: (weight, [(how a scene begins, by day?), …]). Nobody says a date where the days are told.
DOCUMENTS = [
    (6, [("{morning}，[|{morning.sight}，]", True), ("{morning.next!7}，[|{morning.next.sight}，]", True),
         ("{morning.next.next!7}，[|{morning.next.next.sight}，]", True)]),
    (4, [("{noon}，[|{noon.sight}，]", True), ("{noon.next!7}，[|{noon.next.sight}，]", False),
         ("{noon.next.next!7}，[|{noon.next.next.sight}，]", False)]),
    (4, [("{season}，{season.sight!7}，", False), ("{season.next!7}[|到了]，{season.next.sight!7}，", False),
         ("{season.next.next!7}[|到了]，{season.next.next.sight!7}，", False)]),
    (3, [("{day}，", True), ("{day.next!7}，", True), ("{day.next.next!7}，", True)]),
    (4, [("[有一天|有一回|那天|吃过饭]，", True), ("[后来|过了一会儿]，", True), ("[第二天|最后]，", True)]),
]
NO_DATES = {"season", "day"}  # beginnings that say a date of their own
SHORTEST, LONGEST = 60, 120   # characters of a document

# ---- what is asked -----------------------------------------------------------------------------------------------

# Pairs of kinds that are held out: an eighth of their combinations occur in no document.
PAIRS = [("person", "person"), ("person", "place"), ("animal", "person"), ("person", "province"), ("person", "thing"),
         ("person", "time"), ("person", "spot"), ("person", "luck"), ("person", "touch"),
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
    11: [("person", "thing"), ("person", "touch")],
    12: [("person", "luck")],
    13: [("person", "person"), ("person", "place"), ("person", "thing")],
}
# Sentences in a form in which nothing is told; each asks about one rule.
FORMS = [
    "{a}一点也不饿，{a.he!1}", "{a}还没有{thing}，{a.he!1}", "{pet}迷路了，走了很久，{pet.he!1}", "{guest}买了{cake}，{guest.he!1}",
    "{pet}一点也不累，{pet.he!1}",
    "{a}想请{b}吃饭，{a.he}对{b!2}", "{a}和{b}来到{place}，{b.he}喊{a!2}", "{a}一喊{b}，{b.he}就来找{a!2}",
    "{a}最喜欢{b}，{a.he}天天去看{b!2}", "{b}把{thing2}给了{a}，{a.he!2}",
    "{a}去买{pet}爱吃的{pet.food!3}", "{pet}睡着了，还想着吃{pet.food!3}", "{b}手里拿着{pet}爱吃的{pet.food!3}",
    "{a}看见{beast}在吃{beast.food!3}", "{pet}来到{a}家，要吃{pet.food!3}",
    "{a}回来了，{a.he}从{office}取来了{office.take!4}", "大家都在{spot}打{spot.hit!4}", "{a}马上到{office}取{office.take!4}",
    "{b}高高兴兴地去{spot}打{spot.hit!4}", "{a}和{b}{apple}苹果，苹果{apple.apple!4}", "{a}看了看，{flower}花{flower.flower!4}",
    "{name}摔了一跤，{a}来看{name!5}", "{a}在路上遇到{name}，{a.he}拉着{name!5}", "{name}睡着了，{a}看着{name!5}",
    "{a}最喜欢{name}，{b}也想要{name!5}", "“{name}在哪里？”{a}问。{b}说：“{name!5}",
    "{a}对{b}说：“你有什么？”{b!6}", "“{b}，你家在哪里？”{a}喊。{b!6}", "{a}笑了，问{b}：“{c}来了吗？”{b!6}",
    "{b}抱着{pet}问{a}：“它叫什么？”{a!6}", "{c}问：“{a}，你病了吗？”{a!6}",
    "今天是{day}，明天就是{day.next!7}", "{a}{day}很忙，{a.he}{day.next!7}", "{a}问：“昨天是{day}吗？”{b}说：“是，今天是{day.next!7}",
    "{season}走了，{season.next!7}", "明天是{day}，{a}说：“{day}过了就是{day.next!7}",
    "大家都来{place}{place.act!8}", "{a}拉着{b}去{place}{place.act!8}", "{a}找到了{place}，{a.he}要在{place}{place.act!8}",
    "{b}没有去{place2}，{a}说：“我去{place2}{place2.act!8}", "{b}带回了{pet}，又去{place}{place.act!8}",
    "{b}给了{a}{n}个{cake}，又给了{m}个，一共给了{n+m!9}", "门前的树上有{many}只麻雀，{m}只飞走了，还有{many-m!9}",
    "{a}有{many}个{cake}，{b}借走了{m}个，还剩{many-m!9}", "{a}带着{n}只{pet}，{b}带着{m}只，一共{n+m!9}",
    "{a}找到了{many}个{cake}，吃了{m}个，还剩{many-m!9}", "门前有{n}只{pet}，门后又来了{m}只，一共是{n+m!9}",
    "{a}的朋友去了{province}的{province.capital!10}", "{b}没有吃过{province}的{province.product!10}", "{a}去{province}买了{province.product!10}",
    "{a}坐车去{province}，到了{province.capital!10}", "{province}的朋友给了{a}{province.product!10}",
    "{b}的{thing}是{colour}的，大家都喜欢{colour!11}{thing!11}", "{a}送来了{colour}{thing}，{b}很喜欢{colour!11}",
    "{b}有{colour}{thing}，{b.he}天天带着{colour!11}{thing!11}", "{a}看见{thing.measure}{colour}{thing}，{a.he}也想要{colour!11}{thing!11}",
    "村里来了一个{touch}的{colour}色小怪物，{a}说{touch!11}的{colour!11}",
    "{a}今天{luck}，{luck.feeling!12}", "{b}的{thing3}{deed}，{a}和{b}都{deed.feeling!12}", "{a}问：“你{luck}吗？”{b}{luck.feeling!12}",
    "{a}又{luck}，{b}说{a.he}{luck.feeling!12}", "{b}买的苹果{move}，{b.he}{move.feeling!12}",
    "{c}很想要{thing}。{a}有{thing}，{c}来找{a!13}", "{a}在{place}等{c}，{c}来到{place!13}",
    "{c}来找{a}，{a}去了{place}，{c}也来到{place!13}", "“谁有{thing}？”{c}问。{b}有{thing}，{c}就去找{b!13}",
    "{thing}是{a}的，{c}看见{thing}，说：“这是{a!13}",
]
