"""The questions about the village: minimal pairs, cut from documents where a rule decides what comes next."""
import collections
import itertools
import math
import random

import village_world as world
from village_telling import (DOCUMENTS, FORMS, TOPICS, Slot, Tale, allowed, combined, domain, held_in, kind_of, topics_for)

PROBES = 60              # of each rule and kind, at least: seen, new, form
OF_AN_ANSWER = 12        # of each rule and right answer, at least, seen and new together
TRIES = 3000             # of each rule, to find its answers, and to find new combinations for each
KINDS = ["seen", "new", "form"]
Probe = collections.namedtuple("Probe", "rule kind text right wrong asker spans")


def wrong_answers(site, text, rng):
    """Three at most; first those that stand in the text, so that what occurs there is no help."""
    right = site.told[site.path]
    values = domain(world.INSTEAD.get(site.path, site.path))
    values = next((alike for alike in world.ALIKE if right in alike), values)
    if kind_of(site.path) == "name":
        values = [value for value in values if value[0] == right[0]]
    rightful = {right} | (set(allowed(site.path, site.told)) if "." in site.path else set())
    wrong = shuffled([value for value in dict.fromkeys(values) if value not in rightful], rng)
    wrong = [value for value in wrong if not value.startswith(right) and not right.startswith(value)]
    return sorted(wrong, key=lambda value: value not in text)[:3]


def shuffled(values, rng):
    """By rng.random() alone, whose numbers are the same in every version of Python."""
    order = sorted((rng.random(), i) for i in range(len(values)))
    return [values[i] for _, i in order]


def roots_of(path):
    """A path and all that it is a fact about: season.next, season."""
    return [path] + (roots_of(path.rpartition(".")[0]) if "." in path else [])


def kind_of_question(tale, site, text):
    """"seen", "new" (what is held out is asked for, or stands in the scene) or None: another rule's combination."""
    held = held_in(tale.met)
    about = {combined(path, site.told) for asked in [site.path] + site.sources for path in roots_of(asked)}
    scene = tale.text[max(start for start in tale.starts if start <= site.begin):site.end]
    for kinds, values in held:
        asked = values & about and all(value in about or value in text for value in values)
        if kinds not in world.NEW[site.rule] or not asked and not all(value in scene for value in values):
            return None
    return "new" if held else "seen"


def beginning(tale, site, rng):
    """Where the question's text begins: with a scene, and after it stands something of what decides."""
    starts = [start for start in tale.starts if start <= max(begin for begin, _ in site.spans)]
    return starts[int(rng.random() * len(starts))]


def question(tale, site, rng):
    """The probe that a site makes, or None."""
    begin = beginning(tale, site, rng)
    text, right = tale.text[begin:site.begin], tale.text[site.begin:site.end]
    kind = kind_of_question(tale, site, text + right)
    wrong = wrong_answers(site, text, rng)
    if not kind or not wrong:
        return None
    spans = [(b - begin, e - begin) for b, e in site.spans if b >= begin]
    same = 0  # characters that all the answers begin with belong to the text; what is copied is then their successor
    while all(answer[:same + 1] == right[:same + 1] for answer in wrong):
        same += 1
    spans = [(b + same * text[b:e].startswith(right[:same]), e) for b, e in spans]
    text += right[:same]
    wrong = [answer[same:] for answer in wrong]
    return Probe(site.rule, kind, text, right[same:], wrong, len(text) - 1, sorted(set(spans)))


def questions_in_new_forms(rng):
    """PROBES of each rule, a form's turn after the other's, without what is held out."""
    asked, texts = [], set()
    for rule in world.RULES:
        turns = itertools.cycle(form for form in FORMS if any(item.rule == rule for item in form if isinstance(item, Slot)))
        while sum(probe.rule == rule for probe in asked) < PROBES:
            tale = Tale(rng)
            tale.scene(DOCUMENTS[-1][1][0][0], next(turns))
            made = [question(tale, site, rng) for site in tale.sites if site.rule == rule and not held_in(tale.met)]
            if made and made[0] and made[0].text not in texts:
                asked.append(made[0]._replace(kind="form"))
                texts.add(made[0].text)
    return asked


def sentences_of(rule):
    """[(topic, sentence, only by day?)] in which the rule decides; for the openings of scenes, as many times, None."""
    told = [(topic, sentence, by_day) for topic in TOPICS for by_day in (False, True)
            for sentence in (topic.day if by_day else topic.any) if rule in rules_in(sentence)]
    openings = any(rule in rules_in(opening) for _, scenes in DOCUMENTS for opening, _ in scenes)
    return told + [None] * len(told) * openings


def rules_in(items):
    return {rule for item in items
            for rule in ([item.rule] if isinstance(item, Slot) else
                         set().union(*map(rules_in, item)) if isinstance(item, list) else [])}


def question_about(rule, last, rng):
    """A question about the last scene of a beginning of a document, of one to three scenes; or None."""
    tale = Tale(rng)
    scenes = tale.choose([scenes for _, scenes in DOCUMENTS])[:1 + int(rng.random() * 3)]
    topics = topics_for(scenes)
    opening, by_day = scenes[-1]
    topic, sentence, only_by_day = last or some_sentence(tale, topics, by_day)
    if topic not in topics or only_by_day and not by_day:
        return None
    topics.remove(topic)
    for before, day in scenes[:-1]:
        other, told, _ = some_sentence(tale, topics, day)
        topics.remove(other)
        tale.scene(before, told)
    tale.scene(opening, sentence)
    sites = [site for site in tale.sites if site.rule == rule and (site.sentence is sentence if last else site.sentence is opening)]
    if not sites or len(tale.text) > world.LONGEST:
        return None
    return question(tale, sites[int(rng.random() * len(sites))], rng)


def some_sentence(tale, topics, by_day):
    topic = tale.choose([topic for topic in topics if topic.any or by_day])
    return topic, tale.choose(topic.any + topic.day * by_day), False


def questions_in_told_forms(rule, texts, rng):
    """Each answer equally often, seen and new as far as there are new ones; each sentence in its turn."""
    turns = itertools.cycle(shuffled(sentences_of(rule), rng))
    tried = [question_about(rule, next(turns), rng) for _ in range(TRIES)]
    answers = sorted({probe.right for probe in tried if probe})
    often = max(OF_AN_ANSWER, math.ceil(2 * PROBES / len(answers)))
    wanted = {answer: often for answer in answers}
    new = {answer: often // 2 for answer in answers}
    asked = []
    for tries in itertools.count():
        if not any(wanted.values()):
            return asked
        probe = question_about(rule, next(turns), rng)
        if not probe or probe.text in texts or not wanted.get(probe.right):
            continue
        limit = new if probe.kind == "new" else {answer: wanted[answer] - new[answer] * (tries < TRIES) for answer in answers}
        if limit[probe.right] > 0:
            asked.append(probe)
            texts.add(probe.text)
            wanted[probe.right] -= 1
            new[probe.right] -= probe.kind == "new"


def questions(seed):
    """The probes, by rule and kind."""
    rng = random.Random(seed)
    asked = questions_in_new_forms(rng)
    texts = {probe.text for probe in asked}
    for rule in world.RULES:
        asked += questions_in_told_forms(rule, texts, rng)
    return sorted(asked, key=lambda probe: (probe.rule, KINDS.index(probe.kind)))


# ---- the file ----------------------------------------------------------------------------------------------------

BEGIN = """# Questions about data/village.txt, written by scripts/village.py. One a line:
#     rule | seen, new or form | text | right | wrong[, wrong …] | asker, answerer
# After the text the right answer must be more probable than each wrong one. new: what the rule is asked about never
# stands together in a document of village.txt. form: nothing there is said in this form. Then the characters of the text,
# counted from 0: the one that asks for the next character, and from-to of all those that decide it.
# The rules:
"""


def line_of(probe):
    spans = " ".join("%d-%d" % (begin, end - 1) for begin, end in probe.spans)
    return " | ".join([world.RULES[probe.rule][0], probe.kind, probe.text, probe.right, ", ".join(probe.wrong),
                       "%d, %s" % (probe.asker, spans)])


def as_text(probes):
    names = "".join("# %s = %s\n" % names for names in world.RULES.values())
    return BEGIN + names + "".join(line_of(probe) + "\n" for probe in probes)
