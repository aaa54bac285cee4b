// The tour: its stops stand in index.html, one sentence each, with the frame and the head that show it. Space goes on.

/** What is chosen at a stop. */
function chosenAt({frame, head}) {
    const last = frame === "last";
    return {
        ...frame && {frame: last ? film.count - 1 : 0, atEnd: last},
        ...head && {...firstHead(), query: -1},
    };
}

export const tour = {
    at: -1,      // of the stops; -1: no tour
    before: {},  // what was chosen when it began

    /** Goes to a stop; beyond the ends the tour is over. */
    go(at) {
        document.querySelector(".stop")?.classList.remove("stop");
        const stops = [...byId("stops").children].filter(({dataset}) => !byId(dataset.place).closest("section").hidden);
        const {frame, atEnd, layer, head, query} = state;
        if (this.at < 0) this.before = {frame, atEnd, layer, head, query};
        this.at = at < stops.length ? at : -1;
        byId("tour-card").hidden = this.at < 0;
        const stop = stops[this.at];
        if (!stop) return changed(this.before), byId("tour").focus();
        changed(chosenAt(stop.dataset));
        byId(stop.dataset.place).classList.add("stop");
        byId("tour-text").replaceChildren(...stop.cloneNode(true).childNodes);
        setText(byId("tour-count"), `${this.at + 1} / ${stops.length}`);
        byId("tour-back").disabled = this.at === 0;
        byId("tour-on").hidden = this.at + 1 === stops.length;
        byId("tour-card").focus({preventScroll: true});
        aim.go(stop.dataset.place);
    },
};

export function startTour() {
    byId("tour").onclick = () => tour.go(0);
    byId("tour-on").onclick = () => tour.go(tour.at + 1);
    byId("tour-back").onclick = () => tour.go(tour.at - 1);
    byId("tour-end").onclick = () => tour.go(Infinity);
}
