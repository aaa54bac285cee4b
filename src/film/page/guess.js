// Guess first: where a head looks, or which character follows, is hidden until the class has guessed.

export const guess = {
    on: false,
    shown: {},  // what was uncovered last: of "row" and of "next"

    key: (what) => [state.sentence, ...what === "row" ? [state.layer, state.head, query()] : [chosenPosition()]].join(),
    /** Is it covered: the "row" of the query in the chosen head, or what comes "next" at the chosen position? */
    hides: (what) => guess.on && guess.shown[what] !== guess.key(what),
};

/** In two places, each with buttons of its own. */
function drawGuess() {
    const choices = [["all", say("show all", "全部显示")], ["guess", say("guess first", "先猜再看")]];
    for (const place of document.querySelectorAll(".guess")) {
        const {what} = place.dataset;
        const now = !guess.on ? "all" : guess.hides(what) ? "guess" : "shown";
        const buttons = guess.on ? [...choices, ["shown", say("now show it", "揭晓")]] : choices;
        chooseFrom(place, "", buttons, now, (choice) => {
            guess.on = choice !== "all";
            guess.shown = choice === "shown" ? {...guess.shown, [what]: guess.key(what)} : {};
            changed();
        });
    }
}

export function startGuess() { panels.push(drawGuess); }
