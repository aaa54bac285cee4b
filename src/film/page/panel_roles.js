// What each head does, measured on the beginnings of many validation documents and on the probes.

export const headRoles = {
    there: () => Boolean(film.streams["heads.roles"]),
    /** Share of a head's attention, in the mean, that goes where a role says. */
    at(role, frame, layer, head) {
        const {layers, heads} = film.model;
        return film.numbers("heads.roles").at(((frame * film.roles.length + role) * layers + layer) * heads + head);
    },
    /** As attention/roles.h names it. */
    roleName: ({en, zh}) => say(en, zh),
    /** The head's habit, as attention/roles.h says: a role, or -1. */
    best(frame, layer, head) {
        const {layers, heads} = film.model;
        return film.numbers("habits").at((frame * layers + layer) * heads + head);
    },
    /** Rules whose strongest head this is. */
    rules(layer, head) {
        const last = film.rules ? ruleNow.last() : 0;
        const own = ({heads}) => heads[last]?.[0] === layer && heads[last]?.[1] === head;
        return (film.rules?.list ?? []).filter(own).map((rule) => `${ruleName(rule)} ${rule.weights[last].toFixed(2)}`);
    },
    /** Its habit, if it has one: its share at the first and the last frame, and since when it was the strongest. */
    name(layer, head) {
        const role = this.best(film.count - 1, layer, head);
        const looks = role < 0 ? roles.looks(film.count - 1, layer, head) : "";
        if (role < 0)
            return looks ?
                say(`no habit; most in the recorded sentences: ${looks}`, `没有固定习惯；观察句里看得最集中的：${looks}`) :
                say("no habit", "没有固定习惯");
        const since = stepName(film.steps[alwaysSince(film.count, (frame) => this.best(frame, layer, head) === role)]);
        const shares = [0, film.count - 1].map((frame) => percent(this.at(role, frame, layer, head))).join(" → ");
        return `${this.roleName(film.roles[role])} ${shares}` + say(` (since ${since})`, `（${since}起）`);
    },
};

/** What a head does over many documents, and which rules it looks for. */
export function habitText(layer, head) {
    const [habit, rules] = [headRoles.name(layer, head), headRoles.rules(layer, head).join(say(", ", "，"))];
    const most =
        rules && say(` Of all heads it looks most at what decides ${rules}.`, `在所有头里，它最关注这些规则的依据：${rules}。`);
    return say(`${headName(layer, head)}, over many documents: ${habit}.${most}`,
        `${headName(layer, head)}，在很多文档上：${habit}。${most}`);
}

/** One row a head, those that sharpened most first; again in another language. */
function roleRows() {
    const rows = (own.number ? roles.sharpened() : film.heads).map(([layer, head]) => {
        const name = button(headName(layer, head), () => changed({layer, head}));
        const ends = [0, film.count - 1].map((frame) => roles.spread(frame, layer, head).toFixed(2));
        const row = namedRow(name,
            [headRoles.rules(layer, head).join("; "), "", ...film.roles.map(() => ""), own.number ? ends.join(" → ") : "–"]);
        return Object.assign(row, {layer, head, shares: [...row.cells].slice(3, -1)});
    });
    const heading = [
        say("head", "头"), say("rules it looks for most", "哪些规则的依据它看得最多"),
        say("habit, at the last frame", "最后一帧的习惯"), ...film.roles.map(headRoles.roleName),
        say("spread, first → last frame", "分散程度，首帧 → 末帧")
    ];
    return [rowOf(heading, "th"), ...rows];
}

function drawRoles() {
    const table = byId("role-table");
    fillAnew(table, "", roleRows);
    for (const row of [...table.rows].slice(1)) {
        const {layer, head, shares} = row;
        setText(row.cells[2], headRoles.name(layer, head));
        shares.forEach((cell, role) => {
            const share = headRoles.at(role, state.frame, layer, head);
            setText(cell, percent(share));
            paint(cell, theme.share(share));
        });
        row.classList.toggle("now", isChosen(layer, head));
    }
    fill("role-note", {now: film.now()});
    fill("role-most", storyOfHeads() && storyOfMatrices() && {...storyOfHeads().values, ...storyOfMatrices().values});
}

export function startRoles() {
    if (headRoles.there()) panels.push(whenSeen("roles", drawRoles));
}
