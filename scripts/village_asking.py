"""The questions about the village: minimal pairs, cut from documents where a rule decides what comes next."""
import collections
import itertools
import random

import village_world as world
from village_telling import (DOCUMENTS, FORMS, Slot, Tale, allowed, combined, domain, fits, held_in, kind_of, sources_of,
                             tell)

PROBES = 60              # of each rule and kind
IN_NEW_FORMS = 12        # of the new ones
MOST_OF_A_SENTENCE = 14
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
    """Of each rule as many as IN_NEW_FORMS, a form's turn after the other's."""
    asked, texts = [], set()
    for rule in world.RULES:
        turns = itertools.cycle(form for form in FORMS if any(item.rule == rule for item in form if isinstance(item, Slot)))
        while sum(probe.rule == rule for probe in asked) < IN_NEW_FORMS:
            tale = Tale(rng)
            tale.scene(DOCUMENTS[-1][1][0][0], next(turns))
            made = [question(tale, site, rng) for site in tale.sites if site.rule == rule and not held_in(tale.met)]
            if made and made[0] and made[0].text not in texts:
                asked.append(made[0]._replace(kind="new"))
                texts.add(made[0].text)
    return asked


def questions(seed):
    """The probes: each rule, seen and new, from documents of their own; one a document, few of one sentence."""
    rng = random.Random(seed)
    asked = questions_in_new_forms(rng)
    texts, patterns = {probe.text for probe in asked}, collections.Counter()
    wanted = {(rule, kind): PROBES for rule in world.RULES for kind in ("seen", "new")}
    for probe in asked:
        wanted[probe.rule, probe.kind] -= 1
    while any(wanted.values()):
        tale = tell(rng)
        for site in shuffled(tale.sites, rng) if fits(tale) else []:
            if not wanted[site.rule, "seen"] and not wanted[site.rule, "new"]:
                continue
            probe = question(tale, site, rng)
            pattern = probe and (site.rule, probe.kind, id(site.sentence))
            if probe and wanted[pattern[:2]] and probe.text not in texts and patterns[pattern] < MOST_OF_A_SENTENCE:
                asked.append(probe)
                texts.add(probe.text)
                patterns[pattern] += 1
                wanted[pattern[:2]] -= 1
                break
    return sorted(asked, key=lambda probe: (probe.rule, probe.kind == "new"))


# ---- the file ----------------------------------------------------------------------------------------------------

BEGIN = """# Questions about data/village.txt, written by scripts/village.py. One a line:
#     rule | seen or new | text | right | wrong[, wrong …] | asker, answerer
# After the text the right answer must be more probable than each wrong one. new: what the rule is asked about never
# stands together in a document of village.txt, or nothing there is said in this form. Then the characters of the text,
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
