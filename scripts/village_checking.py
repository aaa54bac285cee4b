"""Tells scenes again with the values that stand in a text: are they all allowed?"""
import re

from village_telling import DOCUMENTS, TOPICS, allowed, domain, sources_of, variants


def pattern_of(items):
    """(regular expression, paths in order) of a variant: each path is a group, said again it must be the same."""
    expression, paths = "", []
    for item in items:
        if isinstance(item, str):
            expression += re.escape(item)
        elif item.path in paths:
            expression += "(?P=g%d)" % paths.index(item.path)
        else:
            expression += "(?P<g%d>%s)" % (len(paths), "|".join(sorted(domain(item.path), key=len, reverse=True)))
            paths.append(item.path)
    return re.compile(expression), paths


class Checker:
    """Tells scenes again with the values that stand in a text: are they all allowed?"""

    def __init__(self):
        def patterns(sentences):
            return [pattern_of(way) for sentence in sentences for way in variants(sentence)]
        self.documents = [[(patterns([opening]), by_day) for opening, by_day in scenes] for _, scenes in DOCUMENTS]
        self.openings = [pattern for scenes in self.documents for ways, _ in scenes for pattern, _ in ways]
        self.anytime = patterns(sentence for topic in TOPICS for sentence in topic.any)
        self.by_day = patterns(sentence for topic in TOPICS for sentence in topic.day)

    def scenes(self, document):
        """A scene begins where a sentence does, with a word like 早上 or 后来."""
        ends = [end.end() for end in re.finditer("[。！？]”?", document)]
        cuts = [0] + [end for end in ends if any(opening.match(document, end) for opening in self.openings)]
        return [document[begin:end] for begin, end in zip(cuts, cuts[1:] + [len(document)])]

    def check(self, document):
        """(scenes that keep every rule, scenes), as the kind of document that fits best."""
        scenes = self.scenes(document)
        return max(self.kept(scenes, kind) for kind in self.documents), len(scenes)

    def kept(self, scenes, kind):
        count, known = 0, {}
        for scene, (openings, by_day) in zip(scenes, kind):
            begins = [(known | match_values(match, paths), match.end()) for pattern, paths in openings
                      if (match := pattern.match(scene))]
            begins = [(told, end) for told, end in begins if consistent(told)]
            known = begins[0][0] if begins else known
            count += any(self.told(scene[end:], by_day) for _, end in begins)
        return count

    def told(self, sentence, by_day):
        return any((match := pattern.fullmatch(sentence)) and consistent(match_values(match, paths))
                   for pattern, paths in self.anytime + self.by_day * by_day)


def match_values(match, paths):
    return {path: match.group("g%d" % i) for i, path in enumerate(paths)}


def consistent(told):
    """Are all these values allowed beside each other? What is not known may be anything that makes it so."""
    for path, value in told.items():
        unknown = [source for source in sources_of(path) if source != path and source not in told]
        if unknown:
            return any(consistent(told | {unknown[0]: guess}) for guess in domain(unknown[0]))
        if value not in allowed(path, told):
            return False
    return True
