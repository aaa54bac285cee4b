// The tour: ten stops of one sentence each, with the state that shows it. Space goes on.

const atStart = () => ({frame: 0, atEnd: false});
const atEnd = () => ({frame: film.count - 1, atEnd: true});
const sharpest = () => ({...firstHead(), query: -1, position: -1});

// {id: of the place, state(): what is chosen there, text()}
const kStops = [
    {
        id: "teach",
        text: () => say("Write a sentence, press “one step”: the four cards show what the model says before and now.",
            "写一句话，点“教一步”：四张卡片并排写着模型之前和现在的回答。"),
    },
    {
        id: "figure-heads",
        state: atStart,
        text: () => say("At the first frame every row is even: no head has learned where to look.",
            "第一帧里每一行都均匀：还没有一个头学会看哪里。"),
    },
    {
        id: "figure-head",
        state: () => ({...atEnd(), ...sharpest()}),
        text: () => say("At the last frame this head has sharpened: click a cell for its numbers.",
            "到最后一帧，这个头变得集中了：点一格，看这个权重怎样算出来。"),
    },
    {
        id: "figure-predictions",
        state: atEnd,
        text: () => say("After each character the five likeliest next ones; the true one is framed.",
            "每个字之后最可能的五个字；真正的下一个字加了框。"),
    },
    {
        id: "continue-columns",
        text: () => say("The same text goes on as the model was at first, in the middle, at the end.",
            "同一句话，由最初、中间和最后的模型接着写。"),
    },
    {
        id: "figure-effects",
        text: () => say("A high bar is a character without which the prediction would fall.",
            "条越高，越离不开这个字：没有它，预测的概率就下降。"),
    },
    {
        id: "figure-map",
        text: () => say("Characters that are used alike have gathered; the line is the way of one.",
            "用法相近的字聚到了一起；那条线是一个字走过的路。"),
    },
    {
        id: "figure-vectors",
        text: () => say("To the right training changes the row of E, downwards context parts two copies.",
            "往右，训练改变 E 的这一行；往下，上下文使两份不同。"),
    },
    {
        id: "figure-ratios",
        text: () => say("Each cell is a matrix: the darker, the larger its update in this step.",
            "每格是一个矩阵：颜色越深，这一步的更新越大。"),
    },
    {
        id: "figure-loss",
        text: () =>
            say("The loss falls below one guess after the other: that is learning.", "损失一条一条地低于各种猜测：这就是学习。"),
    },
];

const tour = {
    at: -1,  // of the stops; -1: no tour

    /** Goes to a stop; beyond the ends the tour is over. */
    go(at) {
        document.querySelector(".stop")?.classList.remove("stop");
        const stops = kStops.filter(({id}) => !byId(id).closest("section").hidden);
        this.at = at < stops.length ? at : -1;
        byId("tour-card").hidden = this.at < 0;
        const stop = stops[this.at];
        if (!stop) return byId("tour").focus();
        changed(stop.state?.() ?? {});
        byId(stop.id).classList.add("stop");
        this.stop = stop;
        setText(byId("tour-count"), `${this.at + 1} / ${stops.length}`);
        byId("tour-back").disabled = this.at === 0;
        byId("tour-card").focus({preventScroll: true});
        aim.go(stop.id);
    },
};

function startTour() {
    byId("tour").onclick = () => tour.go(0);
    byId("tour-on").onclick = () => tour.go(tour.at + 1);
    byId("tour-back").onclick = () => tour.go(tour.at - 1);
    byId("tour-end").onclick = () => tour.go(Infinity);
    panels.push(() => tour.at < 0 || setText(byId("tour-text"), tour.stop.text()));
}

export {tour, startTour};
