"""What readers of an earlier page stumbled over, each as a check: what the page says there now, and does."""



def text_of(browser, id):
    return browser.value(f"document.getElementById('{id}').innerText")


def go_to(browser, id):
    browser.value(f"document.getElementById('{id}').scrollIntoView({{block: 'center', behavior: 'instant'}})")
    browser.settle()


def figure(id):
    return f"figures.find(f => f.id === '{id}')"


def middle_of(browser, id):
    """Of a figure's picture, in the window, after scrolling to it."""
    go_to(browser, f"figure-{id}")
    return browser.value(f"(b => [b.left + b.width / 2, b.top + b.height / 2])({figure(id)}.canvas.getBoundingClientRect())")


def read_the_loss(browser, check):
    """A value stands with its own step; the unit, the other unit and the number of choices stand beside it."""
    tip = browser.value("""(chart => { chart.draw(true); const {what} = chart; return what.at(what.x(7), 100); })(%s)""" % figure("loss"))
    lines = tip.splitlines()
    evaluated = browser.value("[...film.curve.evaluated]")
    check("step 7" in lines[0] and 7 not in evaluated, f"the tip is of the step under the pointer: {lines[0]!r}")
    validation = next(line for line in lines if line.startswith("validation"))
    check(any(f"(at step {round(step)})" in validation for step in evaluated), f"an evaluation says its own step: {validation!r}")
    check("per character" in validation and "per token" in validation and "choices" in validation, "in both units, and as choices")
    series = browser.value(f"{figure('loss')}.what.make().series.map(s => [s.name, Boolean(s.dots)])")
    check(["validation", True] in series, "the points that were measured are drawn")
    foot = text_of(browser, "step")
    check("its batch" in foot and "validation, step" in foot, f"the foot names its losses: {foot!r}")
    check(browser.value(f"{figure('gradient')}.what.now.log") is True, "the axis of the gradient norm is logarithmic")


def follow_predictions(browser, check):
    """No false zeros: a line has a value or none, and what really follows always has one."""
    browser.value("changed({sentence: 0, query: 3})")
    go_to(browser, "figure-position")
    series = browser.value(f"{figure('position')}.what.make().series.map(s => s.points.map(p => p[1]))")
    check(all(y is None or y > 0 for line in series for y in line), "no probability is drawn as 0")
    check(all(y is not None for y in series[-1]), "what really follows is known at every frame")
    ranks = browser.value("film.steps.map((_, frame) => film.truth(0, frame, 3).rank)")
    check(all(rank >= 1 for rank in ranks) and ranks[-1] <= ranks[0], f"with its rank: {ranks[0]} … {ranks[-1]}")
    check(browser.value("[percent(0), percent(0.0004), percent(0.5)]") == ["0%", "<0.1%", "50%"], "0 is not <0.1%")


def changed_most(browser, check):
    """Of the heads and of the matrices the one that changed most; and of a head without a habit, where it looks all the same."""
    spreads = browser.value("[0, film.count - 1].map(frame => film.heads.map(([l, h]) => roles.spread(frame, l, h)))")
    fell = [a - b for a, b in zip(*spreads)]
    layer, head = browser.value(f"film.heads[{fell.index(max(fell))}]")
    ways = browser.value("matrixNames().map(name => [weightWay(film.count - 1, name), partName(name)])")
    seen = "document.getElementById('role-most').offsetParent !== null"
    check(browser.value(seen) == (max(fell) >= 0.1), f"where all heads are still about even, none is named: {max(fell)}")
    sharp = f"(frame, l, h) => zhuyi.even(frame, l, h) - (l === {layer} && h === {head} ? 0.2 * frame / (film.count - 1) : 0)"
    browser.value(f"(zhuyi.even = roles.spread.bind(roles), roles.spread = {sharp}, changed())")
    browser.settle()
    told = text_of(browser, "role-most")
    check(browser.value(seen) and f"Block {layer}, head {head}, " in told, f"the head that changed most: {told!r}")
    check(f"from {spreads[0][fell.index(max(fell))]:.2f} " in told, f"from where: {told!r}")
    check(max(ways)[1].lower() in told.lower(), f"the matrix that moved furthest: {told!r} {max(ways)}")
    browser.value("(roles.spread = zhuyi.even, delete zhuyi.even, changed())")
    browser.settle()
    idle = browser.value("film.heads.find(([l, h]) => headRoles.best(film.count - 1, l, h) < 0) ?? null")
    if not idle:
        return
    looks = []
    for sentence in range(browser.value("own.number")):
        T, row = browser.value(f"film.length({sentence})"), browser.value(f"[...film.map({sentence}, film.count - 1, {idle[0]}, {idle[1]})]")
        looks.append(max((row[t * T + s] - 1 / (t + 1), sentence, t, s, row[t * T + s]) for t in range(T) for s in range(t + 1)))
    _, sentence, t, s, weight = max(looks)
    names = browser.value(f"film.characters({sentence})")
    does = browser.value(f"[...document.getElementById('role-table').rows].find(r => r.layer === {idle[0]} && r.head === {idle[1]}).cells[2].textContent")
    look = f"no habit; most in the recorded sentences: {names[t]}→{names[s]} {browser.value(f'percent({weight})')}"
    does = does.replace("\u2060", "").replace("\u00a0", " ")  # they keep a pair on one line
    check(does.startswith(look), f"where a head without a habit looks: {does} {look}")


def look_at_attention(browser, check):
    """A row and a head's mean are told apart; a group can be made by taps, is explained, and can be cleared."""
    browser.value("changed({sentence: 0, query: 8, layer: 1, head: 2, keys: new Set()})")
    go_to(browser, "sentence")
    reading = text_of(browser, "row-reading").splitlines()
    check(reading[1].startswith("This row") and reading[-1].startswith("This head looks (mean of the rows but the first) in this sentence"), f"row and head: {reading}")
    check("block 1, head 2" in reading[-2], f"what the head does: {reading[-2]}")
    best = browser.value("film.heads.map(([l, h]) => [Math.max(...Array.from({length: 9}, (_, s) => film.weight(0, state.frame, l, h, 8, s))), l, h])"
                         ".reduce((a, b) => b[0] > a[0] ? b : a)")
    check(reading[0].startswith("Over all heads") and f"(block {best[1]}, head {best[2]}" in reading[0],
          f"whichever head is chosen, the one that looks most is named: {reading[0]} {best}")
    browser.value("changed({grouping: true})")
    browser.settle()
    browser.value("[...document.querySelectorAll('#sentence button')].slice(1, 3).forEach(b => b.click())")
    browser.settle()
    check("The group" in text_of(browser, "row-reading"), "taps make a group")
    browser.value("document.getElementById('clear-group').click()")
    browser.settle()
    check(browser.value("state.keys.size") == 0 and not browser.value("document.getElementById('clear-group').offsetParent"), "it is cleared")
    rows = browser.value(f"{figure('strip')}.table().rows.length")
    expected = browser.value("film.count * film.heads.length * 9")
    check(rows == expected, "the strip has every head at every frame")
    cell = browser.value(f"{figure('strip')}.table().rows.find(r => r[0] === film.steps.at(-1) && r[1] === 1 && r[2] === 2 && r[4] === 3)")
    check(abs(cell[6] - browser.value("film.map(0, film.count - 1, 1, 2)[8 * film.length(0) + 3]")) < 1e-6, "with the weights of the maps")
    legend = browser.value(f"(chart => (chart.draw(), [...new Set(chart.what.now.series.map(s => s.legend ?? s.name))]))({figure('self')})")
    check(len(legend) == browser.value("film.model.layers") + 1, f"lines have a legend: {legend}")
    go_to(browser, "roles")
    changed_most(browser, check)
    row = browser.value("(r => ({layer: r.layer, head: r.head, does: r.cells[2].textContent}))(document.getElementById('role-table').rows[1])")
    shares = browser.value(f"""(all => film.steps.map((_, frame) => Array.from({{length: 6}}, (_, role) =>
        all.at(((frame * 6 + role) * film.model.layers + {row['layer']}) * film.model.heads + {row['head']}))))(film.numbers('heads.roles'))""")
    even = browser.value("""(all => Array.from({length: 6}, (_, role) => film.heads.reduce((sum, _, i) =>
        sum + all.at(role * film.heads.length + i) / film.heads.length, 0)))(film.numbers('heads.roles'))""")
    best = max(range(6), key=lambda role: shares[-1][role] - even[role])
    if shares[-1][best] < 2 * even[best]:
        return check(row["does"].startswith("no habit; "), f"near to even attention is no habit: {row}")
    ends = browser.value(f"[{shares[0][best]}, {shares[-1][best]}].map(percent).join(' → ')")
    check(f" {ends} (since step " in row["does"], f"how a habit grew: {row}")


def type_a_character(browser, check):
    go_to(browser, "token-choices")
    for typed, told in (("龘", "not among"), ("小猫", "more than one token")):
        browser.value(f"chooseToken('{typed}')")
        check(told in text_of(browser, "token-note"), f"{typed}: {text_of(browser, 'token-note')!r}")
    browser.value("chooseToken('小')")
    check(text_of(browser, "token-note") == "", "a character that is followed needs no words")
    heights = []
    for frame in range(0, browser.value("film.count"), 3):
        browser.value(f"show({frame})")
        browser.settle()
        heights.append(browser.value("document.getElementById('embeddings').offsetHeight"))
    check(len(set(heights)) == 1, f"nothing jumps from frame to frame: {set(heights)}")
    steps = browser.value("[...document.getElementById('timeline').rows].map(r => film.steps[r.frame])")
    gaps = [b / max(a, 1) for a, b in zip(steps[1:], steps[2:])]
    check(steps[0] == 0 and max(gaps) <= 3, f"the table of neighbours has no large gap: {steps}")
    browser.value("show(film.count - 1)")
    names = browser.value("(pen => { const drawn = []; const old = CanvasRenderingContext2D.prototype.fillText; "
                          "CanvasRenderingContext2D.prototype.fillText = function (t, x, y) { drawn.push([t, x, y]); }; "
                          "%s.draw(); CanvasRenderingContext2D.prototype.fillText = old; return drawn; })()" % figure("map"))
    close = [(a, b) for i, a in enumerate(names) for b in names[:i] if abs(a[1] - b[1]) < 5 and abs(a[2] - b[2]) < 5]
    check(len(names) > 10 and not close, f"no two names of the map lie on each other: {close[:3]}")
    point = f"{figure('map')}.what.point({figure('map')}.size(), film.count - 1, chosenPlace())"
    browser.value("document.querySelector('#map-choices [value=\"4\"]').click()")
    browser.settle()
    middle = browser.value(f"(({{width, height}}) => [width / 2, height / 2])({figure('map')}.size())")
    check(browser.value(point) == middle, "nearer by, the chosen character is in the middle")
    browser.value("document.querySelector('#map-choices button').click()")


def see_the_weights(browser, check):
    go_to(browser, "figure-matrix")
    browser.value("changed({parameter: 'block.2.ffn.W_1'}); show(1)")
    browser.settle()
    title = browser.value(f"{figure('matrix')}.what.title()")
    check("block 2" in title and "W_1" in title, f"the matrices of every block can be seen: {title!r}")
    step = browser.value("gpt.steps[gpt.at()]")
    check(title.endswith(f"step {step}"), f"with the step that it is of: {title!r}")
    rows = browser.value(f"{figure('matrix')}.table().rows")
    check(len(rows) == browser.value("film.model.channels * film.model.ffn"), "and all of its numbers")
    table = browser.value(f"{figure('moves')}.table().rows")
    check(all(path >= way - 1e-6 for _, _, way, path, _ in table), "no matrix went further than its path is long")
    browser.value("show(film.count - 1)")


def follow(browser, link):
    """The page goes to #link, and something else changes before the event comes (once the link was forgotten then)."""
    browser.value(f"new Promise(done => {{ addEventListener('hashchange', () => done(0), {{once: true}}); location.hash = {link!r}; changed(); }})")
    browser.settle()


def compare_and_link(browser, check):
    browser.value("show(3); pin()")
    browser.value("show(film.count - 1)")
    browser.settle()
    squares = browser.value(f"{figure('head')}.what.layout(900).squares.map(s => s.frame)")
    check(squares == [browser.value("film.count - 1"), 3], "two frames side by side")
    browser.value("show(3); pin()")
    check(browser.value("state.pinned") == -1, "and again one alone")
    browser.value("changed({query: 5, layer: 2, head: 1}); document.getElementById('link').click()")
    link = browser.value("location.hash")
    check("frame=3" in link and "layer=2" in link, f"a link holds the view: {link!r}")
    browser.value("document.getElementById('on').click()")
    check(browser.value("state.frame") == 4, "step buttons")
    check(browser.value("location.hash") == "", "who goes on has left the link's view")
    browser.value("changed({layer: 0, head: 0})")
    follow(browser, link)
    check(browser.value("[state.frame, state.query, state.layer, state.head]") == [3, 5, 2, 1], "the link leads back to it")
    follow(browser, "#view&frame=-7&end=0&layer=99&head=x&sentence=-1&query=-9&rule=1e9&pinned=-4")
    check(browser.value("[state.frame, state.layer, state.head, state.query]") == [0, browser.value("film.model.layers - 1"), 0, -1],
          "a link that nobody made leads somewhere too")
    browser.value("show(film.count - 1)")
    browser.value("document.querySelector('#figure-loss .save button').click()")
    cells = browser.value("document.querySelectorAll('#numbers td').length")
    check(cells > 20, "every picture's numbers are a table for a screen reader")
    browser.value("document.getElementById('numbers').close()")
    twice = browser.value("(ids => ids.filter((id, i) => ids.indexOf(id) < i))([...document.querySelectorAll('[id]')].map(e => e.id))")
    check(not twice, f"every place has a name of its own, or one panel of two stays empty: {twice}")
    nameless = browser.value("[...document.querySelectorAll('button, input, canvas, select')].filter(e => e.offsetParent && !(e.textContent?.trim() || "
                             "e.getAttribute('aria-label') || e.getAttribute('aria-hidden') || e.labels?.length || e.placeholder)).map(e => e.outerHTML.slice(0, 80))")
    check(not nameless, f"everything has a name: {nameless[:3]}")


def walk_with_tab(browser, check):
    """The skip link comes first, the transport soon; files of a figure are behind one button."""
    stops = browser.value("""[...document.querySelectorAll('a[href], button, input, select, summary, canvas[tabindex="0"]')]
        .filter(e => !e.disabled && e.tabIndex >= 0 && e.checkVisibility()).map(e => e.className || e.id)""")
    check(stops[0] == "skip" and "slider" in stops[:20], f"skip link and transport come first: {stops[:22]}")
    check(not browser.value("document.querySelector('#figure-loss .save button').checkVisibility()"), "files are behind one button")
    browser.value("document.querySelector('#figure-loss .save summary').click()")
    check(browser.value("document.querySelector('#figure-loss .save button').checkVisibility()"), "which opens")
    browser.value("document.querySelector('#figure-loss .save').open = false")


def type_as_an_input_method(browser, check):
    typed = browser.value("""(async () => {
        const input = document.getElementById('own-text');
        const told = [own.tokens.length];
        const kept = Math.min(128, film.model.context);
        const tell = async (event, tokens) => {
            input.dispatchEvent(event);
            for (let i = 0; i < 200 && (i < 6 || own.tokens.length !== tokens); ++i) await new Promise(done => setTimeout(done, 50));
            told.push(own.tokens.length);
        };
        input.value = 'xiaomao';
        await tell(new InputEvent('input', {isComposing: true}), own.tokens.length);
        input.value = '小猫';
        await tell(new CompositionEvent('compositionend'), 2);
        input.value = '小猫'.repeat(100);
        await tell(new InputEvent('input'), kept);
        const reading = document.getElementById('own-reading').textContent;
        input.value = '';
        await tell(new InputEvent('input'), 0);
        return [told, kept, own.tokens.length, reading];
    })()""")
    (before, unfinished, finished, long, none), kept, _, reading = typed
    check((unfinished, finished, none) == (before, 2, 0), f"what is not finished is no sentence: {typed}")
    check(long == kept and f"the first {200 - kept} are left out" in reading, f"the end of a long one is kept: {typed}")


def check_stumbles(browser, check):
    if browser.value("root.lang") != "en":
        browser.key("l")
    for step in (read_the_loss, follow_predictions, look_at_attention, type_a_character, see_the_weights, compare_and_link, walk_with_tab,
                 type_as_an_input_method):
        step(browser, check)
    browser.key("l")
