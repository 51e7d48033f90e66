// Claim: draws a position as a table with two hands, the trick, the followers and the votes of the five factions.

const GOBLINS = 0,
  DWARVES = 1,
  UNDEAD = 2,
  DOPPELGANGERS = 3,
  KNIGHTS = 4;
const HAND_SIZE = 13;
const FACTIONS = ["Goblins", "Dwarves", "Undead", "Doppelgängers", "Knights"];
const SINGULAR = ["Goblin", "Dwarf", "Undead", "Doppelgänger", "Knight"];
const LETTERS = "GWUDK"; // W is for dWarves, since D is for Doppelgängers; the move list says it the same way
const POWERS = [
  "no power",
  "in phase 2 it goes to the score pile of the trick's loser",
  "played in phase 1, it goes to the score pile of the trick's winner",
  "follows any faction",
  "wins when it is played on a led Goblin",
];

const factionOf = (card) => Math.floor(card / 10);
const cardValue = (card) => card % 10;
const cardName = (card) => `${SINGULAR[factionOf(card)]} ${cardValue(card)}`;
const byNumber = (a, b) => a - b;

// -- the scene: one description for a State and for an Observation -----------------------------------------

/** The picture of a position: `message` is a State if `seat` is null, else what this seat observed. */
function scene(message, seat) {
  const known = seat === null ? fromState(message) : fromObservation(message, seat);
  const tricks = (message.tricks || []).map(readTrick);
  const phase = message.phase || 1;
  const leader = message.leader || 0;
  const lead = message.lead ?? null;
  const last = tricks.length ? tricks[tricks.length - 1] : null;
  const scores = known.seats.map((held) => held.score);
  const factions = FACTIONS.map((_, faction) => countFaction(faction, scores));
  const votes = [0, 1].map((number) => factions.filter((faction) => faction.holder === number).length);
  const shown =
    lead === null && last ? { ...last, done: true } : { leader, lead, follow: null, winner: null, done: false };
  return {
    game: "claim",
    viewer: seat,
    phase,
    trick: phase === 3 ? HAND_SIZE : (tricks.length % HAND_SIZE) + 1,
    turned: phase === 2 && lead === null && tricks.length === HAND_SIZE,
    leader,
    toMove: phase === 3 ? null : lead === null ? leader : 1 - leader,
    table: shown,
    prize: known.prize,
    next: known.next,
    deckSize: known.deckSize,
    discard: [...(message.discard || [])],
    seats: known.seats,
    factions,
    votes,
    gains: lead === null && last ? gainsOf(last) : [],
  };
}

function fromState(message) {
  const deck = message.deck || [];
  const seats = [0, 1].map((number) => {
    const held = (message.seats || [])[number] || {};
    return {
      hand: [...(held.hand || [])].sort(byNumber),
      hiddenHand: 0,
      won: [...(held.prizes || [])],
      drawn: [...(held.draws || [])],
      hiddenDrawn: 0,
      score: [...(held.score || [])],
    };
  });
  return { seats, prize: deck[0] ?? null, next: deck[1] ?? null, deckSize: Math.max(0, deck.length - 1) };
}

function fromObservation(message, seat) {
  const own = {
    hand: [...(message.hand || [])].sort(byNumber),
    hiddenHand: 0,
    won: [...(message.prizes || [])],
    drawn: [...(message.draws || [])],
    hiddenDrawn: 0,
    score: [...(message.score || [])],
  };
  const size = message.opponent_hand_size || 0;
  const hand = openHand(message, 1 - seat).slice(0, size);
  const other = {
    hand,
    hiddenHand: size - hand.length,
    won: [...(message.opponent_prizes || [])],
    drawn: [],
    hiddenDrawn: message.opponent_draw_count || 0,
    score: [...(message.opponent_score || [])],
  };
  return {
    seats: seat === 0 ? [own, other] : [other, own],
    prize: message.prize ?? null,
    next: null,
    deckSize: message.deck_size || 0,
  };
}

/** The cards that everybody saw `seat` win as followers and that it has not played since, in phase 2. */
function openHand(message, seat) {
  if ((message.phase || 1) !== 2) return [];
  const tricks = (message.tricks || []).map(readTrick);
  const hand = tricks.filter((trick) => trick.prize !== null && trick.winner === seat).map((trick) => trick.prize);
  const played = tricks.slice(HAND_SIZE).map((trick) => (trick.leader === seat ? trick.lead : trick.follow));
  if (message.lead !== undefined && (message.leader || 0) === seat) played.push(message.lead);
  for (const card of played) {
    const at = hand.indexOf(card);
    if (at >= 0) hand.splice(at, 1);
  }
  return hand.sort(byNumber);
}

function readTrick(trick) {
  return {
    leader: trick.leader || 0,
    lead: trick.lead || 0,
    follow: trick.follow || 0,
    winner: trick.winner || 0,
    prize: trick.prize ?? null,
    draw: trick.draw ?? null,
  };
}

function countFaction(faction, scores) {
  const cards = scores.map((score) => score.filter((card) => factionOf(card) === faction).sort(byNumber));
  // More cards first, then the highest one; -1 stands for a pile without the faction.
  const [first, second] = cards.map((pile) => pile.length * 100 + (pile.length ? pile[pile.length - 1] : -1));
  return { cards, holder: first === second ? null : first > second ? 0 : 1 };
}

/** Which cards of a finished trick went to which score pile. */
function gainsOf(trick) {
  const phaseOne = trick.prize !== null;
  return [trick.lead, trick.follow]
    .filter((card) => !phaseOne || factionOf(card) === UNDEAD)
    .map((card) => ({ card, seat: !phaseOne && factionOf(card) === DWARVES ? 1 - trick.winner : trick.winner }));
}

/** Why a trick went to its winner, in a few words. */
function reasonOf(trick) {
  const led = factionOf(trick.lead),
    followed = factionOf(trick.follow);
  const high = cardValue(trick.follow),
    low = cardValue(trick.lead);
  if (led === GOBLINS && followed === KNIGHTS) return "a Knight beats a led Goblin";
  if (followed !== led && followed !== DOPPELGANGERS) return `no ${SINGULAR[led]} was played on it`;
  if (high > low) return `${high} beats ${low}`;
  return high === low ? "a tie goes to the leader" : `${low} beats ${high}`;
}

// -- what is written ---------------------------------------------------------------------------------------

const PHASES = { 1: "Phase 1: followers", 2: "Phase 2: votes", 3: "The game is over" };

function resultText(view, name) {
  const [one, two] = view.votes;
  if (one === two) return `A draw, ${one} votes each`;
  const winner = one > two ? 0 : 1;
  return `${name(winner)} wins, ${Math.max(one, two)} to ${Math.min(one, two)} votes`;
}

function turnText(view, name) {
  if (view.toMove === null) return resultText(view, name);
  return view.table.done || view.table.lead === null ? `${name(view.toMove)} leads` : `${name(view.toMove)} follows`;
}

/** What the trick means: two short sentences. */
function trickText(view, name) {
  const trick = view.table;
  if (!trick.done) {
    if (trick.lead === null) return [`${name(view.leader)} may lead any card.`, goalText(view)];
    const asked = factionOf(trick.lead);
    const also = asked === DOPPELGANGERS ? "" : " or Doppelgänger";
    return [
      `${name(view.toMove)} follows: ${asked === UNDEAD ? "an" : "a"} ${SINGULAR[asked]}${also},`,
      `or any card if without ${FACTIONS[asked]}.`,
    ];
  }
  const loser = 1 - trick.winner;
  const won = `${name(trick.winner)} wins: ${reasonOf(trick)}.`;
  if (trick.prize !== null) {
    const drawn = trick.draw === null ? "an unseen card" : cardName(trick.draw);
    return [won, `Prize: ${cardName(trick.prize)}. The loser draws ${drawn}.`];
  }
  const dwarves = view.gains.filter((gain) => factionOf(gain.card) === DWARVES).length;
  if (dwarves === 2) return [won, `Both Dwarves go to ${name(loser)}, the loser.`];
  if (dwarves === 1) return [won, `The Dwarf goes to ${name(loser)}, the loser.`];
  return [won, `Both cards join the winner's pile.`];
}

function goalText(view) {
  return view.phase === 1 ? "The winner gets the prize, the loser draws." : "The winner of a trick scores both cards.";
}

// -- small helpers for SVG ---------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

/** A description of an element: tag, attributes, children (descriptions or text). */
const el = (tag, attributes, ...children) => ({ tag, attributes, children });

function build(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const element = document.createElementNS(SVG, node.tag);
  for (const [name, value] of Object.entries(node.attributes)) element.setAttribute(name, String(value));
  element.append(...node.children.map(build));
  return element;
}

const text = (x, y, size, kind, words, anchor = "start") =>
  el("text", { x, y, "font-size": size, class: kind, "text-anchor": anchor }, words);
const rect = (x, y, width, height, kind, rx = 6) => el("rect", { x, y, width, height, rx, class: kind });
const place = (x, y, scale, ...children) =>
  el("g", { transform: `translate(${round(x)} ${round(y)}) scale(${round(scale)})` }, ...children);
const round = (number) => Math.round(number * 1000) / 1000;

const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'; // as in viewer.css
const widths = new Map();
let pen = null;

/** How wide a bold text is in the font of this machine. */
function widthOf(words, size) {
  const key = `${size} ${words}`;
  if (!widths.has(key)) {
    pen = pen || document.createElement("canvas").getContext("2d");
    pen.font = `700 ${size}px ${FONT}`;
    if (widths.size > 5000) widths.clear();
    widths.set(key, Math.ceil(pen.measureText(words).width));
  }
  return widths.get(key);
}

function shorten(words, size, width) {
  if (widthOf(words, size) <= width) return words;
  const letters = [...words];
  while (letters.length > 1 && widthOf(`${letters.join("")}…`, size) > width) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

// -- icons, in a box of 24 by 24 ---------------------------------------------------------------------------

const shape = (d, attributes = {}) => el("path", { d, "fill-rule": "evenodd", ...attributes });
const ICONS = [
  [
    shape(
      "M12 4.6c-3 0-5.1 1.7-5.8 4.1L.7 6.8l3.4 6.4 2.7.9C7.6 18 9.6 20.6 12 20.6s4.4-2.6 5.2-6.5l2.7-.9" +
        " 3.4-6.4-5.5 1.9C17.1 6.3 15 4.6 12 4.6zM8.3 10.8l2.9 1.7-1.2 1.6c-1.2 0-1.9-1.4-1.7-3.3z" +
        "M15.7 10.8l-2.9 1.7 1.2 1.6c1.2 0 1.9-1.4 1.7-3.3zM9.4 16.3h5.2L12 18.4z",
    ),
  ],
  [
    shape(
      "M11 2.2h2v3c2.8-1.9 6-1.5 8 .3-1.5 2.1-1.5 5.3 0 7.4-2 1.8-5.2 2.2-8 .3v8.6h-2v-8.6c-2.8 1.9-6" +
        " 1.5-8-.3 1.5-2.1 1.5-5.3 0-7.4 2-1.8 5.2-2.2 8-.3z",
    ),
  ],
  [
    shape(
      "M12 2C7 2 3.4 5.5 3.4 10c0 3 1.5 5.2 3.6 6.5V21h2.4v-2.3h1.5V21h2.2v-2.3h1.5V21H17v-4.5c2.1-1.3" +
        " 3.6-3.5 3.6-6.5C20.6 5.5 17 2 12 2zM8.4 8.5a2.1 2.1 0 1 1 0 4.2 2.1 2.1 0 0 1 0-4.2z" +
        "M15.6 8.5a2.1 2.1 0 1 1 0 4.2 2.1 2.1 0 0 1 0-4.2zM12 12.7l1.4 2.7h-2.8z",
    ),
  ],
  [
    shape("M8 4.3a3.7 3.7 0 1 1 0 7.4 3.7 3.7 0 0 1 0-7.4zM1.2 20.5c0-4.3 2.9-7.2 6.8-7.2s6.8 2.9 6.8 7.2z"),
    shape("M13.6 4.7a3.3 3.3 0 1 1 .6 6.5M15.3 13.6c4 .2 7 2.7 7.4 6.4h-5", { class: "line" }),
  ],
  [
    shape(
      "M12 1.8C7.4 1.8 4.8 4.8 4.8 9v8l7.2 5.3 7.2-5.3V9c0-4.2-2.6-7.2-7.2-7.2zM6.8 9.8h4.4v2.2H6.8z" +
        "M12.8 9.8h4.4v2.2h-4.4zM11.2 13.8h1.6v5h-1.6zM8 14h1.5v2.8L8 15.8zM14.5 14H16v1.8l-1.5 1z",
    ),
  ],
];
const CROWN = shape("M4 19h16v2.2H4zM4 17L2.5 7.5l5.3 3.7L12 4l4.2 7.2 5.3-3.7L20 17z");
const icon = (faction, x, y, size) =>
  el(
    "g",
    { class: `icon f${faction}`, transform: `translate(${round(x)} ${round(y)}) scale(${round(size / 24)})` },
    ...ICONS[faction],
  );
const crown = (x, y, size) =>
  el("g", { class: "crown", transform: `translate(${round(x)} ${round(y)}) scale(${round(size / 24)})` }, CROWN);

/** The mark of a seat: its number in a disc (seat 0) or in a square (seat 1). */
function badge(seat, x, y, size) {
  const middle = size / 2;
  const outline =
    seat === 0
      ? el("circle", { cx: middle, cy: middle, r: middle, class: "badge s0" })
      : el("rect", { x: 0, y: 0, width: size, height: size, rx: size / 6, class: "badge s1" });
  return el(
    "g",
    { transform: `translate(${round(x)} ${round(y)})` },
    outline,
    text(middle, size * 0.78, size * 0.79, "on-badge", String(seat), "middle"),
  );
}

// -- cards -------------------------------------------------------------------------------------------------

const CARD = { width: 64, height: 90 };
const MINI = { width: 34, height: 52 };

/** A card; where the next one lies over its right part, the icon stands further left. */
function cardFace(card, crowded = false) {
  const faction = factionOf(card),
    kind = `ink f${faction}`;
  return [
    el("title", {}, `${cardName(card)}: ${POWERS[faction]}`),
    rect(1.5, 2.5, 64, 90, "shadow", 7),
    rect(0, 0, 64, 90, `paper f${faction}`, 7),
    rect(3.5, 3.5, 57, 83, `frame f${faction}`, 4.5),
    text(8, 30, 29, `${kind} number`, String(cardValue(card))),
    crowded ? icon(faction, 7, 32, 34) : icon(faction, 14, 30, 36),
    text(8, 82, 21.5, `${kind} letter`, LETTERS[faction]),
  ];
}

function cardBack() {
  return [
    el("title", {}, "A hidden card"),
    rect(1.5, 2.5, 64, 90, "shadow", 7),
    rect(0, 0, 64, 90, "back", 7),
    rect(4.5, 4.5, 55, 81, "back-line", 4.5),
    shape("M32 12L54 45 32 78 10 45z", { class: "back-line" }),
    shape("M32 26L44 45 32 64 20 45z", { class: "back-line" }),
    el("g", { class: "back-mark", transform: "translate(22 35) scale(.833)" }, CROWN),
  ];
}

function miniFace(card) {
  const faction = factionOf(card);
  return [
    el("title", {}, `${cardName(card)}: ${POWERS[faction]}`),
    rect(0, 0, 34, 52, `paper f${faction}`, 5),
    text(17, 23, 23, `ink f${faction} number`, String(cardValue(card)), "middle"),
    icon(faction, 7, 28, 20),
  ];
}

function miniBack() {
  return [
    el("title", {}, "A hidden card"),
    rect(0, 0, 34, 52, "back", 5),
    shape("M17 8L28 26 17 44 6 26z", { class: "back-line" }),
  ];
}

function tileFace(card) {
  const faction = factionOf(card);
  return [el("title", {}, cardName(card)), rect(0, 0, 22, 28, `paper f${faction}`, 4), icon(faction, 3, 6, 16)];
}

/** The two-tone outline that shows on any ground; `dashed` where a card came from. */
function outline(width, height, dashed, rx) {
  const kind = dashed ? " dashed" : "";
  return [
    rect(-3, -3, width + 6, height + 6, `mark-outer${kind}`, rx + 3),
    rect(-3, -3, width + 6, height + 6, `mark-inner${kind}`, rx + 3),
  ];
}

// -- the places of the two layouts -------------------------------------------------------------------------

const LAYOUTS = {
  wide: {
    width: 1000,
    height: 640,
    pad: 10,
    zone: 690,
    small: 15,
    size: 17,
    big: 20,
    header: 38,
    hand: { scale: 1 },
    mini: { scale: 1, step: 38 },
    label: 15,
    row: 60,
    top: 10,
    bottom: 630,
    gap: 8,
    panel: { x: 710, y: 10, width: 280, height: 620 },
    chip: { step: 15.6, width: 14.6, height: 21, size: 15 },
  },
  portrait: {
    width: 600,
    height: 960,
    pad: 8,
    zone: 584,
    small: 20,
    size: 22,
    big: 25,
    header: 40,
    hand: { scale: 0.92 },
    mini: { scale: 0.94, step: 34 },
    label: 20,
    row: 56,
    top: 70,
    bottom: 672,
    gap: 6,
    panel: { x: 8, y: 678, width: 584, height: 274 },
    chip: { step: 26.2, width: 24.6, height: 24, size: 20 },
  },
};

/** The rectangles of the seats' zones and of the middle; without followers the middle grows. */
function zonesOf(view, L) {
  const height = L.header + CARD.height * L.hand.scale + 18 + (view.phase === 1 ? L.row : 0);
  return {
    upper: { y: L.top, height },
    lower: { y: L.bottom - height, height },
    middle: { y: L.top + height + L.gap, height: L.bottom - L.top - 2 * (height + L.gap) },
  };
}

/** Every thing of the picture in the order of drawing: key, place, content, and where it comes from if it is new. */
function thingsOf(view, options) {
  const L = LAYOUTS[options.layout] || LAYOUTS.wide;
  const names = [0, 1].map((seat) => String((options.names || [])[seat] || "") || `Seat ${seat}`);
  const lower = ((view.viewer === 1 ? 1 : 0) + (options.turn ?? 0)) % 2;
  const context = {
    L,
    view,
    names,
    last: options.last || null,
    zones: zonesOf(view, L),
    lower,
    wide: L === LAYOUTS.wide,
    zeros: 0,
    origin: null,
  };
  const table = tablePlaces(context);
  return [
    still("ground", rect(0, 0, L.width, L.height, "ground", 10)),
    ...[1 - lower, lower].flatMap((seat) => seatThings(context, seat, table)),
    ...middleThings(context, table),
    ...panelThings(context),
  ];
}

const still = (key, ...content) => ({ key, kind: "still", x: 0, y: 0, scale: 1, content, from: null });

/** A thing that is a card; the five Goblin 0s are told apart by the order of drawing. */
function cardThing(context, zone, card, x, y, scale, content, from) {
  const key = card === 0 ? `card-0-${context.zeros++}` : `card-${card}`;
  return { key, kind: "card", zone, x, y, scale, content, from };
}

/** A sentence that names a seat at most once, with the name shortened so that all fits into this width. */
function fit(context, size, width, sentence) {
  const room =
    width -
    widthOf(
      sentence(() => ""),
      size,
    );
  return sentence((seat) => shorten(context.names[seat], size, room));
}

// -- one seat: header, hand, followers, score pile ---------------------------------------------------------

function seatThings(context, seat, table) {
  const { L, view, zones, lower } = context;
  const zone = seat === lower ? zones.lower : zones.upper;
  // The lower zone is the upper one turned over: followers next to the middle, the name outside.
  const order = seat === lower ? ["row", "hand", "header"] : ["header", "hand", "row"];
  const heights = { header: L.header, hand: CARD.height * L.hand.scale + 10, row: view.phase === 1 ? L.row : 0 };
  let y = zone.y + 4;
  const at = {};
  for (const part of order) {
    at[part] = y;
    y += heights[part];
  }
  const frame = view.toMove === seat ? "zone active" : "zone";
  const things = [still(`zone-${seat}`, rect(L.pad, zone.y, L.zone, zone.height, frame, 10))];
  things.push(...headerThings(context, seat, at.header));
  if (view.phase === 3) things.push(still(`won-${seat}`, ...wonFactions(context, seat, at.hand)));
  else things.push(...handThings(context, seat, at.hand + 3));
  if (view.phase === 1) things.push(...followerThings(context, seat, at.row + (seat === lower ? 3 : 2), table));
  return things;
}

function headerThings(context, seat, y) {
  const { L, view, names } = context;
  const middle = y + L.header / 2,
    base = middle + L.size * 0.35;
  const mark = L.size * 1.25;
  const turn = turnPill(context, seat, middle);
  const right = L.pad + L.zone - 12;
  const held = FACTIONS.map((_, faction) => faction).filter((faction) => view.factions[faction].holder === seat);
  const iconSize = L.size * 1.2;
  const votes = `${view.votes[seat]} vote${view.votes[seat] === 1 ? "" : "s"}`;
  const votesWidth = widthOf(votes, L.size) + 8;
  const heldWidth = held.length * (iconSize + 3) + 6;
  const nameWidth = L.zone - 36 - mark - turn.width - votesWidth - heldWidth - 60;
  const label = shorten(names[seat], L.size, nameWidth);
  const content = [
    badge(seat, L.pad + 12, middle - mark / 2, mark),
    el(
      "g",
      {},
      el("title", {}, `${names[seat]}, seat ${seat}`),
      text(L.pad + 20 + mark, base, L.size, "strong", label),
    ),
    ...turn.content(L.pad + 32 + mark + widthOf(label, L.size)),
    text(right - 34, base, L.size, "strong", votes, "end"),
    ...held.map((faction, index) =>
      el(
        "g",
        {},
        el("title", {}, `The ${FACTIONS[faction]} vote for seat ${seat} as it stands`),
        icon(
          faction,
          right - 34 - votesWidth - (held.length - index) * (iconSize + 3),
          middle - iconSize / 2,
          iconSize,
        ),
      ),
    ),
    rect(right - 25, middle - 15, 22, 28, "slot", 4),
  ];
  return [still(`header-${seat}`, ...content), ...pileThings(context, seat, right - 25, middle - 15)];
}

function turnPill(context, seat, middle) {
  const { L, view } = context;
  if (view.toMove !== seat) return { width: 0, content: () => [] };
  const words = view.table.done || view.table.lead === null ? "to lead" : "to follow";
  const width = widthOf(words, L.small) + 22;
  return {
    width: width + 12,
    content: (x) => [
      rect(x, middle - L.small * 0.85, width, L.small * 1.7, "pill", L.small * 0.85),
      text(x + width / 2, middle + L.small * 0.35, L.small, "on-pill", words, "middle"),
    ],
  };
}

/** The top of a score pile, without the cards that still lie in the middle. */
function pileThings(context, seat, x, y) {
  const { view } = context;
  const score = view.seats[seat].score;
  const fresh = view.gains.filter((gain) => gain.seat === seat).length;
  return score
    .slice(0, score.length - fresh)
    .slice(-2)
    .map((card) => cardThing(context, "pile", card, x, y, 1, tileFace(card), null));
}

function wonFactions(context, seat, y) {
  const { L, view } = context;
  const held = view.factions
    .map((faction, number) => ({ ...faction, number }))
    .filter((faction) => faction.holder === seat);
  const size = 42,
    step = context.wide ? 122 : 112;
  const start = L.pad + L.zone / 2 - (held.length * step) / 2;
  if (!held.length)
    return [text(L.pad + L.zone / 2, y + 52, L.size, "muted", "No faction votes for this seat.", "middle")];
  return held.flatMap(({ number }, index) => {
    const middle = start + (index + 0.5) * step;
    return [
      el("circle", { cx: middle, cy: y + 34, r: 32, class: `medal f${number}` }),
      icon(number, middle - size / 2, y + 34 - size / 2, size),
      text(
        middle,
        y + 34 + 32 + L.small,
        context.wide ? 15 : 19.6,
        "muted",
        !context.wide && number === DOPPELGANGERS ? "Doppelg." : FACTIONS[number],
        "middle",
      ),
    ];
  });
}

/** The cards of a hand; where the last played card was, a dashed gap stays open. */
function handThings(context, seat, y) {
  const { L, view } = context;
  const { hand, hiddenHand } = view.seats[seat];
  const gap = gapOf(context, seat);
  const entries = [
    ...hand.map((card) => ({ card })),
    ...Array.from({ length: hiddenHand }, (_, index) => ({ hidden: index })),
  ];
  if (gap !== null) entries.splice(hiddenHand ? entries.length : hand.filter((card) => card < gap).length, 0, { gap });
  const { scale } = L.hand;
  const cardWidth = CARD.width * scale;
  const step = Math.min(cardWidth + 6, (L.zone - 24 - cardWidth) / Math.max(1, entries.length - 1));
  const width = (entries.length - 1) * step + cardWidth;
  const start = L.pad + (L.zone - width) / 2;
  const middle = { x: L.pad + L.zone / 2, y, scale };
  return entries.map((entry, index) => {
    const x = start + index * step;
    if (entry.gap !== undefined) {
      context.origin = { x, y, scale };
      // The card before it lies over its left part and the next one over its right part.
      const left = index ? Math.max(0, cardWidth - step) : 0;
      const right = index === entries.length - 1 ? cardWidth : Math.min(cardWidth, step);
      return still(
        "gap",
        place(x + left + 4, y + 4, 1, ...outline(right - left - 8, CARD.height * scale - 8, true, 4)),
      );
    }
    if (entry.card === undefined) {
      return {
        key: `hand-${seat}-${entry.hidden}`,
        kind: "card",
        zone: `hand-${seat}`,
        x,
        y,
        scale,
        content: cardBack(),
        from: middle,
      };
    }
    return cardThing(context, `hand-${seat}`, entry.card, x, y, scale, cardFace(entry.card, step < cardWidth), null);
  });
}

/** The card that this seat has just played out of the hand that it still holds, or null. */
function gapOf(context, seat) {
  const { view, last } = context;
  if (!last || last.seat !== seat || view.turned || view.phase === 3) return null;
  return last.move?.play || 0;
}

function followerThings(context, seat, y, table) {
  const { L, view } = context;
  const { won, drawn, hiddenDrawn } = view.seats[seat];
  const { scale, step } = L.mini;
  const fresh = view.table.done;
  const base = y + MINI.height * scale * 0.62;
  const groups = [
    {
      label: "won",
      cards: won.map((card) => ({ card })),
      from: table.prize,
      fresh: fresh && view.table.winner === seat,
    },
    {
      label: "drawn",
      cards: [
        ...drawn.map((card) => ({ card })),
        ...Array.from({ length: hiddenDrawn }, (_, index) => ({ hidden: index })),
      ],
      from: table.deck,
      fresh: fresh && view.table.winner !== seat,
    },
  ].filter((group) => group.cards.length);
  if (!groups.length) {
    const words = context.wide
      ? "No followers yet: each trick brings one to its winner and one to its loser."
      : "No followers yet: every trick brings one.";
    return [still(`followers-${seat}`, text(L.pad + 14, base, L.label, "muted", words))];
  }
  const labels = [],
    things = [];
  let x = L.pad + 10;
  for (const group of groups) {
    const words = context.wide ? `${group.label} ${group.cards.length}` : group.label;
    labels.push(text(x, base, L.label, "muted", words));
    x += widthOf(words, L.label) + 8;
    group.cards.forEach((entry, index) => {
      const ring = group.fresh && index === group.cards.length - 1 ? [rect(1.5, 1.5, 31, 49, "fresh", 4)] : [];
      if (entry.card === undefined) {
        things.push({
          key: `drawn-${seat}-${entry.hidden}`,
          kind: "card",
          zone: "row",
          x,
          y,
          scale,
          content: [...miniBack(), ...ring],
          from: group.from,
        });
      } else
        things.push(cardThing(context, "row", entry.card, x, y, scale, [...miniFace(entry.card), ...ring], group.from));
      x += step;
    });
    x += 10;
  }
  return [still(`followers-${seat}`, ...labels), ...things];
}

// -- the middle: deck, prize, trick, cards out of the game -------------------------------------------------

/** Where deck, prize, trick and discard lie. */
function tablePlaces({ L, view, zones, wide }) {
  const { y, height } = zones.middle;
  const captions = 2 * L.small * 1.35 + 14;
  const labels = L.label * 1.5 + 6;
  const room = height - captions - labels;
  const small = wide ? 1 : 0.92;
  const scale = Math.min(room / CARD.height, wide ? 2.4 : 2.1);
  const cardWidth = CARD.width * scale;
  const centre = view.phase === 1 ? L.pad + L.zone * (wide ? 0.52 : 0.545) : L.pad + L.zone / 2;
  const between = Math.max(cardWidth * 0.18 + 22, 140 - cardWidth); // room for the words above the cards
  const top = y + labels + (room - CARD.height * scale) / 2;
  const aside = y + labels + (room - CARD.height * small) / 2 - (wide ? 6 : 0);
  return {
    top,
    captions: top + CARD.height * scale + 14,
    centre,
    lead: { x: centre - cardWidth - between / 2, y: top, scale },
    follow: { x: centre + between / 2, y: top, scale },
    deck: { x: L.pad + (wide ? 22 : 10), y: aside, scale: small },
    prize: { x: L.pad + (wide ? 122 : 88), y: aside, scale: small },
    out: { x: L.pad + L.zone - CARD.width * small - (wide ? 22 : 12), y: aside, scale: small },
  };
}

function middleThings(context, table) {
  const { view } = context;
  const things = [still("captions", ...captionLines(context, table))];
  if (view.phase === 1) things.push(...deckThings(context, table));
  things.push(...outThings(context, table));
  things.push(...trickThings(context, table));
  return things;
}

function captionLines(context, table) {
  const { L, view } = context;
  const first = (name) => trickText(view, name)[0],
    second = (name) => trickText(view, name)[1];
  const over = view.phase === 3;
  const lines = over ? [(name) => resultText(view, name), (name) => `Last trick: ${first(name)}`] : [first, second];
  return lines.map((sentence, index) => {
    const size = over && index === 0 ? L.big : L.small;
    const y = table.captions + L.small * (1 + 1.35 * index) - 2;
    return text(
      L.pad + L.zone / 2,
      y,
      size,
      index ? "plain" : "strong",
      fit(context, size, L.zone - 8, sentence),
      "middle",
    );
  });
}

function deckThings(context, table) {
  const { L, view } = context;
  const { deck, prize } = table;
  const above = deck.y - L.label * 0.45;
  const middleOf = (spot) => spot.x + (CARD.width * spot.scale) / 2;
  const things = [
    still(
      "deck-labels",
      text(middleOf(deck), above, L.label, "muted", `deck ${view.deckSize}`, "middle"),
      text(middleOf(prize), above, L.label, "strong", "prize", "middle"),
      ...(context.wide
        ? [
            text(
              middleOf(deck),
              deck.y + CARD.height * deck.scale + L.label * 1.3,
              L.label,
              "muted",
              "for loser",
              "middle",
            ),
            text(
              middleOf(prize),
              deck.y + CARD.height * deck.scale + L.label * 1.3,
              L.label,
              "muted",
              "for winner",
              "middle",
            ),
          ]
        : []),
      place(deck.x, deck.y, deck.scale, rect(0, 0, 64, 90, "slot", 7)),
      place(prize.x, prize.y, prize.scale, rect(0, 0, 64, 90, "slot", 7)),
    ),
  ];
  for (let under = Math.min(2, view.deckSize - 1); under >= 1; under--) {
    things.push(
      still(
        `under-${under}`,
        place(deck.x + 2.5 * under, deck.y + 2.5 * under, deck.scale, rect(0, 0, 64, 90, "back", 7)),
      ),
    );
  }
  if (view.deckSize) {
    const note = el("title", {}, `The deck, ${view.deckSize} cards; the loser of the trick draws the next`);
    if (view.next === null)
      things.push({
        key: "deck",
        kind: "card",
        zone: "deck",
        ...deck,
        content: [note, ...cardBack().slice(1)],
        from: null,
      });
    else things.push(cardThing(context, "deck", view.next, deck.x, deck.y, deck.scale, cardFace(view.next), null));
  }
  if (view.prize !== null)
    things.push(cardThing(context, "prize", view.prize, prize.x, prize.y, prize.scale, cardFace(view.prize), deck));
  return things;
}

function outThings(context, table) {
  const { L, view } = context;
  const { out } = table;
  const inTrick = view.table.done ? 2 - view.gains.length : 0;
  const lying = view.phase === 1 || view.turned ? view.discard.slice(0, view.discard.length - inTrick) : view.discard;
  const label = still(
    "out-label",
    el("title", {}, `${view.discard.length} cards are out of the game`),
    text(
      out.x + (CARD.width * out.scale) / 2,
      out.y - L.label * 0.45,
      L.label,
      "muted",
      `out ${view.discard.length}`,
      "middle",
    ),
    place(out.x, out.y, out.scale, rect(0, 0, 64, 90, "slot", 7)),
  );
  const top = lying
    .slice(-2)
    .map((card, index) =>
      cardThing(
        context,
        "out",
        card,
        out.x - 3 * (1 - index),
        out.y - 3 * (1 - index),
        out.scale,
        cardFace(card),
        null,
      ),
    );
  return [label, ...top];
}

function trickThings(context, table) {
  const { L, view, last } = context;
  const trick = view.table;
  const slots = [
    { card: trick.lead, seat: trick.leader, spot: table.lead, word: "led" },
    { card: trick.follow, seat: 1 - trick.leader, spot: table.follow, word: "followed" },
  ];
  const newest = trick.done ? slots[1] : slots[0];
  return slots.flatMap(({ card, seat, spot, word }, index) => {
    const fresh = last && newest.spot === spot && last.seat === seat;
    const wins = trick.done && trick.winner === seat;
    const label = wins ? "wins" : card === null ? (index ? "follows" : "leads") : word;
    const middle = spot.x + (CARD.width * spot.scale) / 2;
    const width = L.label * 1.2 + 5 + widthOf(label, L.label) + (wins ? L.label * 1.35 : 0);
    const left = middle - width / 2,
      base = spot.y - L.label * 0.5 - 4;
    const things = [
      still(
        `trick-${index}`,
        badge(seat, left, base - L.label * 0.98, L.label * 1.25),
        text(left + L.label * 1.2 + 5, base, L.label, wins ? "strong" : "muted", label),
        ...(wins ? [crown(left + width - L.label * 1.2, base - L.label, L.label * 1.2)] : []),
        place(spot.x, spot.y, spot.scale, rect(0, 0, 64, 90, "slot", 7)),
      ),
    ];
    if (card !== null) {
      const mark = place(
        0,
        0,
        1 / spot.scale,
        ...outline(CARD.width * spot.scale, CARD.height * spot.scale, false, 7 * spot.scale),
      );
      const marks = fresh ? [mark] : [];
      things.push(
        cardThing(context, "trick", card, spot.x, spot.y, spot.scale, [...cardFace(card), ...marks], context.origin),
      );
    }
    return things;
  });
}

// -- the panel: phase, turn and the votes ------------------------------------------------------------------

function panelThings(context) {
  return context.wide ? widePanel(context) : portraitPanel(context);
}

function widePanel(context) {
  const { L, view } = context;
  const { x, y, width } = L.panel;
  const status = still(
    "status",
    rect(x, y, width, 104, "zone", 10),
    text(x + 14, y + 29, L.big, "strong", PHASES[view.phase]),
    text(
      x + 14,
      y + 55,
      L.small,
      "muted",
      view.phase === 3
        ? "all 26 tricks are played"
        : view.turned
          ? "the followers are the new hands"
          : `trick ${view.trick} of ${HAND_SIZE}`,
    ),
    ...turnLine(context, x + 14, y + 86, width - 28),
  );
  const rows = FACTIONS.map((_, faction) =>
    still(`faction-${faction}`, ...wideFaction(context, faction, x, y + 112 + faction * 102, width, 96)),
  );
  return [status, ...rows];
}

function turnLine(context, x, base, width) {
  const { L, view } = context;
  const mark = L.size * 1.25,
    top = base - L.size * 0.98;
  const words = fit(context, L.size, width - mark - 8, (name) => turnText(view, name));
  const sign = view.toMove === null ? crown(x, top, mark) : badge(view.toMove, x, top, mark);
  return [sign, text(x + mark + 8, base, L.size, "strong", words)];
}

function wideFaction(context, faction, x, y, width, height) {
  const { view, lower } = context;
  return [
    factionTitle(context, faction),
    rect(x, y, width, height, "zone", 10),
    icon(faction, x + 12, y + 7, 24),
    text(x + 43, y + 25, 16, "strong", FACTIONS[faction]),
    ...voteMark(context, faction, x + width - 12, y + 8, 20),
    ...(isEmpty(view, faction)
      ? SHORT_POWERS[faction].map((words, index) => text(x + 14, y + 54 + 22 * index, 15, "muted", words))
      : [
          ...factionLine(context, faction, 1 - lower, x + 8, y + 36, width - 16),
          ...factionLine(context, faction, lower, x + 8, y + 64, width - 16),
        ]),
  ];
}

const SHORT_POWERS = [
  ["14 cards, five of them 0;", "a Knight beats a led Goblin"],
  ["in phase 2 they go to", "the loser of the trick"],
  ["played in phase 1, they score", "for the winner of the trick"],
  ["follow any faction,", "always without a power"],
  ["beat any led Goblin;", "8 cards, 2 to 9"],
];

const isEmpty = (view, faction) => view.factions[faction].cards.every((cards) => !cards.length);

/** Who has the vote of a faction as it stands: a crown and the mark of the seat. */
function voteMark({ view }, faction, right, y, size) {
  const { holder } = view.factions[faction];
  if (holder === null) return [text(right, y + size * 0.85, 15, "muted", "no vote", "end")];
  return [crown(right - 2.3 * size, y - 1, size * 1.1), badge(holder, right - size, y, size)];
}

function factionTitle({ view }, faction) {
  const [one, two] = view.factions[faction].cards.map((cards) => cards.length);
  return el("title", {}, `${FACTIONS[faction]}: seat 0 has ${one} in the score pile, seat 1 has ${two}`);
}

/** One seat's scored cards of a faction: mark, number, and a chip per card. */
function factionLine(context, faction, seat, x, y, width) {
  const { L, view } = context;
  const { cards, holder } = view.factions[faction];
  const { step, width: chip, height, size } = L.chip;
  const own = cards[seat];
  const fresh = view.gains.filter((gain) => gain.seat === seat).map((gain) => gain.card);
  const line = [
    ...(holder === seat ? [rect(x - 3, y - 1, width + 6, height + 4, "ahead", 6)] : []),
    badge(seat, x + 2, y + 1 + (height - size * 1.25) / 2, size * 1.25),
    text(
      x + size * 1.2 + 8,
      y + 1 + height * 0.5 + size * 0.36,
      size,
      holder === seat ? "strong" : "muted",
      String(own.length),
    ),
  ];
  const start = x + size * 1.2 + 10 + size * 1.15;
  own.forEach((card, index) => {
    const at = fresh.indexOf(card);
    if (at >= 0) fresh.splice(at, 1);
    line.push(rect(start + index * step, y + 1, chip, height, `paper f${faction}${at >= 0 ? " fresh-chip" : ""}`, 3));
    line.push(
      text(
        start + index * step + chip / 2,
        y + 1 + height * 0.5 + size * 0.36,
        size,
        `ink f${faction} number`,
        String(cardValue(card)),
        "middle",
      ),
    );
  });
  return line;
}

function portraitPanel(context) {
  const { L, view } = context;
  const { x, y, width } = L.panel;
  const progress = view.phase === 3 ? "" : `, trick ${view.trick} of ${HAND_SIZE}`;
  const status = still(
    "status",
    text(L.pad + 6, 28, L.size, "strong", `${PHASES[view.phase]}${progress}`),
    ...turnLine(context, L.pad + 6, 58, width - 12),
  );
  const rows = FACTIONS.map((_, faction) =>
    still(`faction-${faction}`, ...portraitFaction(context, faction, x, y + faction * 56, width)),
  );
  return [status, ...rows];
}

function portraitFaction(context, faction, x, y, width) {
  const { view, lower } = context;
  return [
    factionTitle(context, faction),
    rect(x, y, width, 53.5, "zone", 8),
    icon(faction, x + 10, y + 5, 26),
    text(x + 7, y + 49, 19.6, "strong", faction === DOPPELGANGERS ? "Doppelg." : FACTIONS[faction]),
    ...(isEmpty(view, faction)
      ? SHORT_POWERS[faction].map((words, index) => text(x + 112, y + 21 + 25 * index, 20, "muted", words))
      : [
          ...factionLine(context, faction, 1 - lower, x + 112, y + 1, width - 118),
          ...factionLine(context, faction, lower, x + 112, y + 27, width - 118),
        ]),
  ];
}

// -- drawing -----------------------------------------------------------------------------------------------

// For each svg element: key -> { node, …, look }, to keep elements and to know where a movement starts from;
// and the animations that still run.
const drawn = new WeakMap();
const moving = new WeakMap();

/** Draw the scene; elements that were drawn before are kept and move to their new places. */
function draw(svg, view, previous, options) {
  const things = thingsOf(view, options);
  const before = drawn.get(svg) || new Map();
  const after = new Map();
  const L = LAYOUTS[options.layout] || LAYOUTS.wide;
  for (const animation of moving.get(svg) || []) animation.cancel();
  svg.setAttribute("viewBox", `0 0 ${L.width} ${L.height}`);
  svg.classList.add("game-claim");
  for (const thing of things) {
    const known = before.get(thing.key);
    const node = known ? known.node : document.createElementNS(SVG, "g");
    node.setAttribute("data-key", thing.key);
    node.setAttribute("class", thing.kind);
    node.setAttribute("transform", `translate(${round(thing.x)} ${round(thing.y)}) scale(${round(thing.scale)})`);
    // What looks the same is left alone: building elements is most of the work.
    const look = JSON.stringify(thing.content);
    if (!known || known.look !== look) node.replaceChildren(...thing.content.map(build));
    after.set(thing.key, { node, thing, look });
  }
  svg.replaceChildren(...[...after.values()].map((entry) => entry.node));
  drawn.set(svg, after);
  const animated = previous && options.duration > 0 ? [...after.values()] : [];
  moving.set(
    svg,
    animated.map((entry) => animate(entry, before.get(entry.thing.key), options.duration)).filter(Boolean),
  );
}

function animate({ node, thing }, known, duration) {
  if (thing.kind !== "card") return null;
  const from = known && !isSwap(known.thing, thing) ? known.thing : thing.from;
  const timing = { duration, easing: "cubic-bezier(.2,.7,.3,1)" };
  if (!from) return known ? null : node.animate([{ opacity: 0 }, { opacity: 1 }], timing);
  const steps = [from, thing].map((at) => ({ transform: `translate(${at.x}px, ${at.y}px) scale(${at.scale})` }));
  return steps[0].transform === steps[1].transform ? null : node.animate(steps, timing);
}

/** Whether a Goblin 0 only got the key of another one: these two do not change places. */
function isSwap(before, after) {
  return (
    after.key.startsWith("card-0-") && before.zone !== after.zone && after.zone !== "trick" && before.zone !== "trick"
  );
}

// -- the position in words ---------------------------------------------------------------------------------

/** The position in words, for screen readers and for people. */
function say(view) {
  const name = (seat) => `Seat ${seat}`;
  const progress = view.phase === 3 ? "" : `, trick ${view.trick} of ${HAND_SIZE}`;
  return {
    heading: `${PHASES[view.phase]}${progress}. ${turnText(view, name)}.`,
    lists: [
      { title: "Table", items: sayTable(view, name) },
      ...[0, 1].map((seat) => ({ title: name(seat), items: saySeat(view.seats[seat], view) })),
    ],
    table: {
      caption: "Cards in the score piles and votes as they stand",
      head: ["Faction", "Seat 0", "Seat 1", "Vote"],
      rows: view.factions.map(({ cards, holder }, faction) => [
        FACTIONS[faction],
        ...cards.map(sayValues),
        holder === null ? "nobody" : name(holder),
      ]),
    },
  };
}

const sayValues = (cards) => (cards.length ? `${cards.length}: ${cards.map(cardValue).join(", ")}` : "none");

function sayTable(view, name) {
  const trick = view.table,
    items = [];
  if (trick.lead !== null) items.push(`${name(trick.leader)} led the ${cardName(trick.lead)}.`);
  if (trick.done) items.push(`${name(1 - trick.leader)} followed with the ${cardName(trick.follow)}.`);
  items.push(trickText(view, name).join(" "));
  if (view.prize !== null)
    items.push(
      `Prize: ${cardName(view.prize)}.`,
      `Deck: ${view.deckSize} cards${view.next === null ? "" : `, next the ${cardName(view.next)}`}.`,
    );
  items.push(`Votes as they stand: ${view.votes[0]} for seat 0, ${view.votes[1]} for seat 1.`);
  items.push(`Out of the game: ${view.discard.length} cards.`);
  return items;
}

function saySeat(held, view) {
  const items = [`Hand: ${sayCards(held.hand, held.hiddenHand)}.`];
  if (view.phase === 1)
    items.push(
      `Followers won: ${sayCards(held.won, 0)}.`,
      `Followers drawn: ${sayCards(held.drawn, held.hiddenDrawn)}.`,
    );
  items.push(`Score pile: ${held.score.length} cards.`);
  return items;
}

function sayCards(cards, hidden) {
  const names = cards.map(cardName);
  if (hidden) names.push(`${hidden} hidden`);
  return names.join(", ") || "none";
}

/** Whether `options.turn` changes who sits where. */
const turns = true;

export { scene, draw, say, turns };
