"""What a teacher does with the page: it plays faster, again and again, hides an answer until the class has guessed, and begins anew."""

import time

from stumbles_test import go_to, text_of


def play_again_and_again(browser, check):
    speeds = []
    for _ in range(4):
        browser.value("document.getElementById('speed').click()")
        browser.settle()
        speeds.append(browser.value("document.getElementById('speed').firstChild.textContent"))
    check(speeds == ["2×", "4×", "0.5×", "1×"], f"four speeds: {speeds}")
    browser.value("(document.getElementById('speed').click(), document.getElementById('speed').click())")
    # Every frame that is chosen is noted, however seldom the machine draws one.
    seen = browser.value("""(async () => {
        const seen = [];
        let frame = film.count - 2;
        Object.defineProperty(state, 'frame', {get: () => frame, set: (chosen) => seen.push(frame = chosen), configurable: true});
        document.getElementById('loop').click();
        document.getElementById('play').click();
        for (let i = 0; i < 200 && !seen.includes(1); ++i) await new Promise(done => setTimeout(done, 50));
        Object.defineProperty(state, 'frame', {value: frame, writable: true});
        return seen.slice(0, 4);
    })()""")
    last = browser.value("film.count - 1")
    check(seen[:3] == [last, 0, 1], f"after the last frame it begins again: {seen}")
    browser.value("(document.getElementById('play').click(), document.getElementById('loop').click())")
    check(browser.value("!playing.timer && !playing.loop"), "and stops")
    browser.value("(document.getElementById('speed').click(), document.getElementById('speed').click(), show(film.count - 1))")
    browser.settle()


def guess_first(browser, check):
    """A covered row shows no weight, neither below the characters nor at the pointer; uncovered it does, and another one is covered again."""
    browser.value("changed({sentence: 0, query: 5, layer: 1, head: 1})")
    go_to(browser, "sentence")
    press = "[...document.querySelectorAll('.guess[data-what=%s] button')].find(b => b.dataset.value === '%s').click()"
    weights = "[...document.querySelectorAll('#sentence button small')].slice(0, 6).map(e => e.textContent)"
    before = browser.value(weights)
    browser.value(press % ("row", "guess"))
    browser.settle()
    check(set(browser.value(weights)) == {"?"} and "Guess" in text_of(browser, "row-reading"), f"a covered row: {browser.value(weights)}")
    check(browser.value("largeHead.tip(film.characters(0), 5, 2, 0)") == "?", "the pointer tells nothing of it")
    browser.value(press % ("row", "shown"))
    browser.settle()
    check(browser.value(weights) == before, "now it is shown")
    browser.value("changed({head: 0})")
    browser.settle()
    check(set(browser.value(weights)) == {"?"}, "the next head's is covered")
    go_to(browser, "figure-predictions")
    spots = "figures.find(f => f.id === 'predictions').spots.length"
    check(browser.value(spots) == 5, f"predictions end before what is to be guessed: {browser.value(spots)}")
    browser.value(press % ("next", "all"))
    browser.settle()
    check(browser.value(spots) == browser.value("film.length(0)"), "all of them again")


def compare_with_the_first(browser, check):
    go_to(browser, "figure-head")
    press = "[...document.querySelectorAll('#attention-choices button')].find(b => b.dataset.value === '%s').click()"
    browser.value(press % "0")
    browser.settle()
    squares = browser.value("largeHead.layout(900).squares.map(s => s.frame)")
    check(squares == [browser.value("film.count - 1"), 0], f"step 0 stands beside: {squares}")
    browser.value(press % "-1")
    browser.settle()
    check(browser.value("largeHead.layout(900).squares.length") == 1, "and the present frame is alone again")


def begin_anew(browser, check):
    """What the student before has chosen and typed is gone, the language stays."""
    browser.value("(changed({query: 3, layer: 1, head: 1, text: '小猫'}), show(2), new Promise(done => setTimeout(done, 400)))")
    browser.value("(window.before = true, root.lang = 'en', setTimeout(() => document.getElementById('fresh').click()), 0)")
    time.sleep(1)
    for _ in range(300):
        if browser.value("!window.before && window.zhuyi && gpt.difference !== undefined"):
            break
        time.sleep(0.1)
    found = browser.value("[state.query, state.frame === film.count - 1, state.text, root.lang]")
    check(found == [-1, True, "", "en"], f"the next student begins anew: {found}")


def check_classroom(browser, check, open_again):
    """Last of all it is opened again, with its drawers."""
    if browser.value("root.lang") != "en":
        browser.key("l")
    play_again_and_again(browser, check)
    guess_first(browser, check)
    compare_with_the_first(browser, check)
    begin_anew(browser, check)
    open_again()
    browser.key("l")
