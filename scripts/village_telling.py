"""Draws the documents of the village: sentences with slots, what may stand in a slot, what is held out, a document.

Each choice is made by Tale.choose, which adds up -ln p. The sum over the text, by characters, is the floor: no model
can be better on average, if no two ways of choosing give the same document. Sometimes two do: then the text is a
little easier than that, so the floor is an upper bound of the truth.
"""
import collections
import itertools
import math
import random
import re
import zlib

import village_world as world

# ---- sentences: text, slots, choices -----------------------------------------------------------------------------

Slot = collections.namedtuple("Slot", "path rule sources")  # {path!rule sources}
ITEM = re.compile(r"\{([^!}]+)(?:!(\d+)([^}]*))?\}|[^{}\[\]|]+")


def parse(sentence):
    """A list of text (str), Slot and choices (list of such lists)."""
    def sequence(at):
        items = []
        while at < len(sentence) and sentence[at] not in "|]":
            if sentence[at] == "[":
                branches = []
                while sentence[at] != "]":
                    branch, at = sequence(at + 1)
                    branches.append(branch)
                items.append(branches)
                at += 1
                continue
            found = ITEM.match(sentence, at)
            path, rule, sources = found.groups()
            items.append(Slot(path, int(rule or 0), (sources or "").split()) if path else found.group())
            at = found.end()
        return items, at
    return sequence(0)[0]


def variants(items):
    """Every way to take the choices: lists of text and Slots."""
    ways = [[[item]] if not isinstance(item, list) else [way for branch in item for way in variants(branch)]
            for item in items]
    return [sum(parts, []) for parts in itertools.product(*ways)]


Topic = collections.namedtuple("Topic", "name weight any day")
TOPICS = [Topic(name, weight, [parse(s) for s in anytime], [parse(s) for s in by_day])
          for name, (weight, anytime, by_day) in world.TOPICS.items()]
DOCUMENTS = [(weight, [(parse(opening), by_day) for opening, by_day in scenes]) for weight, scenes in world.DOCUMENTS]
FORMS = [parse(form) for form in world.FORMS]
SLOTS = {slot: kind_and_values for slots, kind_and_values in world.SLOTS.items() for slot in slots.split()}


def kind_of(path):
    """What pairs are made of: persons, places, …, the next day too; a sum with its two numbers. Other facts are none."""
    if "+" in path or "-" in path:
        return "sum"
    slot = path.replace(".next", "")
    return SLOTS[slot][0] if slot in SLOTS else None


def arithmetic(path):
    """("n", +1, "m") for n+m."""
    left, sign, right = re.fullmatch(r"(\w+)([+-])(\w+)", path).groups()
    return left, 1 if sign == "+" else -1, right


def sources_of(path):
    """What decides a path: the two numbers, the value that the fact is about, or the slot itself said before."""
    if kind_of(path) == "sum":
        left, _, right = arithmetic(path)
        return [left, right]
    return [path.rpartition(".")[0] or path]


def results(path, told):
    """What a sum or a difference is; nothing where it is no number of the village."""
    left, sign, right = arithmetic(path)
    at = world.NUMBERS.index(told[left]) + sign * (world.NUMBERS.index(told[right]) + 1)
    return world.NUMBERS[at:at + 1] if at >= 0 else []


def allowed(path, told):
    """The values that a path may have, where `told` holds those of other paths. KeyError: not known yet."""
    if kind_of(path) == "sum":
        return results(path, told)
    about, _, fact = path.rpartition(".")
    if about:
        return world.FACTS[fact].get(told[about], [])
    kind, values = SLOTS[path]
    if kind in world.DIFFERENT:
        taken = {told[other] for other in told if other != path and other in SLOTS and SLOTS[other][0] == kind}
        values = [value for value in values if value not in taken]
    if path in world.COUPLE:
        partner = [told[other] for other in world.COUPLE if other != path and other in told]
        values = [value for value in values if not partner or (value in world.HE) != (partner[0] in world.HE)]
    if path == "m":
        values = [value for value in values
                  if all(results(sum_, told | {"m": value}) for sum_ in world.SUMS if arithmetic(sum_)[0] in told)]
    return values


def weights(path, values, told):
    """How often each is drawn: alike, but numbers so that every result is as frequent."""
    sums = [sum_ for sum_ in world.SUMS if path == arithmetic(sum_)[0] or path == "m" and arithmetic(sum_)[0] in told]
    return [WEIGHTS[sums[0], told.get(arithmetic(sums[0])[0], value), value if path == "m" else None]
            for value in values] if sums else None


def weights_of_numbers():
    """{(sum, first number, second one or None: any of them): weight}"""
    all_of, found = collections.defaultdict(list), collections.Counter()
    for sum_ in world.SUMS:
        left, _, right = arithmetic(sum_)
        for n in SLOTS[left][1]:
            for m in SLOTS[right][1]:
                for result in results(sum_, {left: n, right: m}):
                    all_of[sum_, result].append((n, m))
    for (sum_, _), pairs in all_of.items():
        for n, m in pairs:
            found[sum_, n, m] += 1 / len(pairs)
            found[sum_, n, None] += 1 / len(pairs)
    return found


def combined(path, told):
    """What a path brings into a combination: its value, or the two numbers of a sum."""
    return "".join(told.get(part, part) for part in re.split("([+-])", path)) if kind_of(path) == "sum" else told[path]


def domain(path):
    """Everything that a path can be."""
    if kind_of(path) == "sum":
        return world.NUMBERS
    about, _, fact = path.rpartition(".")
    if not about:
        return SLOTS[path][1]
    return list(dict.fromkeys(v for base in domain(about) for v in world.FACTS[fact].get(base, [])))


WEIGHTS = weights_of_numbers()

# ---- held-out combinations ---------------------------------------------------------------------------------------

HELD_OUT = 8  # one in so many


def combinations(first, second):
    """All pairs of values of two kinds; of one kind: each pair once, a name by itself."""
    def values(kind):
        if kind == "sum":
            return [a + sign + b for sum_ in world.SUMS for left, sign, right in [re.split("([+-])", sum_)]
                    for a in SLOTS[left][1] for b in SLOTS[right][1] if results(sum_, {left: a, right: b})]
        if kind == "time":
            return world.TIMES + world.DAYS + world.SEASONS
        return list(dict.fromkeys(v for k, vs in SLOTS.values() if k == kind for v in vs))
    if first == "name":
        return [(name,) for name in values("name")]
    if first == second:
        return list(itertools.combinations(values(first), 2))
    return list(itertools.product(values(first), values(second)))


def by_chance(text):
    """A number that looks like chance and is the same everywhere."""
    return zlib.crc32(text.encode())


def held_out():
    """{kinds: the combinations that occur in no document}: one in HELD_OUT, and of each value's about as many."""
    held = {}
    for kinds in world.PAIRS:
        every = sorted(combinations(*kinds), key=lambda values: by_chance(" ".join(kinds + values)))
        wanted, often, chosen = math.ceil(len(every) / HELD_OUT), collections.Counter(), []
        for most in itertools.count(1):
            for values in every:
                parts = values[0] if kinds[0] == "name" else values  # a name is a combination of two characters
                parts = list(enumerate(parts))
                if len(chosen) < wanted and values not in chosen and all(often[part] < most for part in parts):
                    chosen.append(values)
                    often.update(parts)
            if len(chosen) == wanted:
                break
        held[kinds] = {frozenset(values) for values in chosen}
    return held


HELD = held_out()


def held_in(met):
    """The held-out combinations among the (kind, value) that a document has met: [(kinds, values)]."""
    found = []
    for kinds in world.PAIRS:
        if kinds[0] == "name":
            found += [(kinds, {value}) for kind, value in met if kind == "name" and frozenset([value]) in HELD[kinds]]
            continue
        first = [value for kind, value in met if kind == kinds[0]]
        second = [value for kind, value in met if kind == kinds[1]]
        pairs = {frozenset((x, y)) for x in first for y in second if x != y}
        found += [(kinds, set(pair)) for pair in pairs & HELD[kinds]]
    return found


# ---- telling -----------------------------------------------------------------------------------------------------

# Where a rule decided what came: the characters begin … end, and those of what decided it (spans, begin to end).
Site = collections.namedtuple("Site", "rule path sources begin end spans told sentence")


class Tale:
    """One document while it is told."""

    def __init__(self, rng):
        self.rng, self.nats = rng, 0.0
        self.text = ""
        self.told = {}                              # {path: value}
        self.met = set()                            # (kind, value), also of what was drawn anew since
        self.spans = collections.defaultdict(list)  # of each path's value, wherever it stands
        self.sites = []
        self.starts = []                            # of the scenes
        self.sentence = None                        # the one that is being told

    def choose(self, values, weights=None):
        """The one place where chance decides: adds -ln p."""
        weights = weights or [1] * len(values)
        at = self.rng.random() * sum(weights)
        for value, weight in zip(values, weights):
            at -= weight
            if at < 0:
                break
        self.nats -= math.log(weight / sum(weights))
        return value

    def value(self, path):
        """Draws a path when it is first asked for, and what it depends on before."""
        if path not in self.told:
            for source in sources_of(path):
                if source != path:
                    self.value(source)
            values = allowed(path, self.told)
            self.told[path] = self.choose(values, weights(path, values, self.told))
            if kind_of(path):
                self.met.add((kind_of(path), combined(path, self.told)))
        return self.told[path]

    def tell(self, items):
        for item in items:
            if isinstance(item, str):
                self.text += item
            elif isinstance(item, list):
                self.tell(self.choose(item))
            else:
                self.say(item)

    def say(self, slot):
        value = self.value(slot.path)
        begin, end = len(self.text), len(self.text) + len(value)
        if slot.rule:
            sources = slot.sources or sources_of(slot.path)
            spans = [span for source in sources for span in self.spans[source]]
            if spans:
                self.sites.append(
                    Site(slot.rule, slot.path, sources, begin, end, spans, dict(self.told), self.sentence))
        self.spans[slot.path].append((begin, end))
        self.text += value

    def scene(self, opening, sentence):
        for path in [p for p in self.told if set(re.split("[+-]", p)) & world.LOCAL]:
            del self.told[path], self.spans[path]
        self.starts.append(len(self.text))
        for self.sentence in (opening, sentence):
            self.tell(self.sentence)


def tell(rng):
    """A document of three scenes of three topics."""
    tale = Tale(rng)
    weights = [weight for weight, _ in DOCUMENTS]
    scenes = tale.choose([scenes for _, scenes in DOCUMENTS], weights)
    topics = topics_for(scenes)
    for opening, by_day in scenes:
        left = [topic for topic in topics if topic.any or by_day]
        topic = tale.choose(left, [topic.weight for topic in left])
        topics.remove(topic)
        tale.scene(opening, tale.choose(topic.any + topic.day * by_day))
    return tale


def topics_for(scenes):
    """All; without the dates where each scene begins with one."""
    slots = {item.path for item in scenes[0][0] if isinstance(item, Slot)}
    return [topic for topic in TOPICS if topic.name != "dates" or not slots & world.NO_DATES]


def fits(tale):
    return world.SHORTEST <= len(tale.text) <= world.LONGEST


class Teller:
    """Documents one after the other, none twice, without held-out combinations."""

    def __init__(self, seed, known=()):
        self.rng, self.known = random.Random(seed), set(known)
        self.tried = self.accepted = 0

    def document(self):
        while True:
            tale = tell(self.rng)
            self.tried += 1
            if fits(tale) and not held_in(tale.met):
                self.accepted += 1
                if tale.text not in self.known:
                    self.known.add(tale.text)
                    return tale

    def floor(self, tales):
        """Nats per character; a document's end counts as one. What was refused makes the rest more probable."""
        refused = math.log(self.accepted / self.tried)
        return sum(t.nats + refused for t in tales) / sum(len(t.text) + 1 for t in tales)
