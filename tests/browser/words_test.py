"""A byte-pair run: its tokens are words and pieces of words, and so the page speaks."""

from pathlib import Path

READY = "new Promise(done => { const look = () => gpt.difference !== undefined && bench.answer.final ? done() : setTimeout(look, 30); look(); })"
TYPED = "(document.getElementById('own-text').value = '%s', own.type('%s'))"


def check_words(browser, zhuyi, check, scratch):
    run = Path(scratch) / "pairs"
    zhuyi.train(run, "--tokenizer=bpe", "--bpe-vocabulary=600", "--steps=2", "--context=24", "--channels=16", "--heads=2", "--layers=1", "--batch=2")
    browser.open(run / "report.html")
    browser.value(READY)
    for lang, word, character in (("en", "Where each word looks", "character looks"), ("zh", "每个词在看哪里", "每个字在看")):
        if browser.value("root.lang") != lang:
            browser.key("l")
        text = browser.value("document.querySelector('main').innerText")
        check(word in text and character not in text, f"{lang}: words, not characters")
    browser.value("document.getElementById('teach').scrollIntoView({behavior: 'instant'})")
    browser.value(TYPED % (("小狗最爱吃青草。龘",) * 2))
    browser.settle()
    count = browser.value("own.tokens.length")
    check(browser.value("gpt.text(own.ids())") == "小狗最爱吃青草。龘" and count > 4, f"a sentence falls into tokens, and they spell it: {count}")
    unknown = browser.value("document.getElementById('teach-unknown').textContent")
    check("龘" in unknown and "没有自己的 token" in unknown, f"what has no token is said at the bench: {unknown}")
    check("龘" in browser.value("document.getElementById('own-reading').textContent"), "and beside its tokens")
    browser.value("document.getElementById('teach-one').click()")
    browser.value("new Promise(done => { const look = () => bench.losses.length && !bench.busy ? done() : setTimeout(look, 30); look(); })")
    check(browser.value("bench.losses.every(({loss}) => Number.isFinite(loss)) && bench.answer.parts[0].read.length <= own.tokens.length"), "and it can be taught")
    browser.value(TYPED % ("", ""))
    browser.value("document.getElementById('teach-again').click()")
    browser.settle()
