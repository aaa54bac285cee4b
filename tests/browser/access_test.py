"""
Letters differ enough from what is behind them (WCAG AA), in both lights, and the transport is near with the keyboard.
"""

# Of each text that is seen: [contrast, element, name, text] where it is less than 4.5 : 1, or 3 : 1 for large letters.
CONTRAST = """(() => {
    const numbers = (colour) => colour.match(/[\\d.]+/g).map((n, i) => i < 3 && colour.startsWith('color') ? 255 * n : Number(n));
    const light = (colour) => numbers(colour).slice(0, 3).reduce((sum, c, i) =>
        sum + [0.2126, 0.7152, 0.0722][i] * (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4), 0);
    const clear = (element) => numbers(getComputedStyle(element).backgroundColor)[3] === 0;
    const found = [];
    for (const element of document.querySelectorAll('body *')) {
        const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join('').trim();
        if (!text || !element.checkVisibility() || element.closest(':disabled')) continue;
        const {color, fontSize, fontWeight} = getComputedStyle(element);
        let behind = element;
        while (behind.parentElement && clear(behind)) behind = behind.parentElement;
        const [a, b] = [light(color), light(getComputedStyle(behind).backgroundColor)].sort((x, y) => y - x);
        const large = parseFloat(fontSize) >= 24 || parseFloat(fontSize) >= 18.66 && fontWeight >= 700;
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < (large ? 3 : 4.5)) found.push([ratio.toFixed(2), element.tagName, element.id || element.className, text.slice(0, 20)]);
    }
    return found;
})()"""

# How many stops of Tab lie before the slider.
STOPS = """[...document.querySelectorAll('a[href], button, input, summary, [tabindex]')]
    .filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility())
    .findIndex((element) => element.id === 'slider')"""


def look_at_all(browser):
    """Panels are drawn when they come into sight."""
    for y in range(0, browser.value("root.scrollHeight"), 600):
        browser.value(f"scrollTo(0, {y})")
        browser.settle()


def check_access(browser, check):
    """Of a page whose drawers are open."""
    browser.value("scrollTo(0, 0)")
    stops = browser.value(STOPS)
    check(0 <= stops < 20, f"the slider is reached with {stops + 1} stops of Tab")
    for _ in range(2):
        look_at_all(browser)
        faint = browser.value(CONTRAST)
        check(not faint, f"every text can be read, {browser.value('root.dataset.theme')}: {faint[:5]}")
        browser.key("t")
        browser.settle()
    browser.value("scrollTo(0, 0)")
