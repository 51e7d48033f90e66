// 7 Kingdoms: draws a position as the line of coats with the cards above and below it, and a panel for each seat.

const TITLES = ["King", "Bishop", "General", "Princess", "Knight", "Merchant", "Peasant"];
const SHORT_TITLES = ["King", "Bishop", "Gen.", "Princ.", "Knight", "Mer.", "Peas."];
const KING = 0,
  BISHOP = 1,
  PEASANT = 6;
const POWERS = [
  "take one to four cards",
  "lay a token, take one card",
  "take all of three neighbouring slots",
  "take one or two cards",
  "take all of two neighbouring slots",
  "take one card",
  "take one card from its two slots",
];
const WINDOWS = { 2: 3, 4: 2 }; // how many neighbouring slots a General and a Knight name
const CHARGES = ["", "star", "cross", "moon", "tower", "heart", "tree", "ring"];
const ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII"];
const SLOTS = 7,
  HAND_LIMIT = 3,
  LAST_ROUND = 60;
const TOKENS = [
  "UNSPECIFIED",
  "PLUS_ONE",
  "PLUS_TWO",
  "PLUS_THREE",
  "PLUS_FOUR",
  "PLUS_FIVE",
  "DOUBLE",
  "PEASANT",
  "COAT",
];
const TOKEN_NAMES = ["", "+1", "+2", "+3", "+4", "+5", "×2", "Peasant", "Coat"];
const TOKEN_MEANINGS = [
  "",
  "1 point",
  "2 points",
  "3 points",
  "4 points",
  "5 points",
  "cards of this coat count twice",
  "1 point for each Peasant",
  "1 point for each different coat",
];
const DOUBLE = 6,
  PEASANT_TOKEN = 7,
  COAT_TOKEN = 8;
const PHASES = ["UNSPECIFIED", "PLAY", "TOKEN", "TAKE", "PLACE", "OVER_DECK", "OVER_TOKENS", "OVER_ROUNDS"];
const REASONS = {
  OVER_DECK: "the deck is empty",
  OVER_TOKENS: "every coat has a token",
  OVER_ROUNDS: `${LAST_ROUND} rounds were played`,
};

const titleOf = (card) => Math.floor((card - 1) / 7);
const coatOf = (card) => ((card - 1) % 7) + 1;
const cardName = (card) => `${card} ${TITLES[titleOf(card)]}`;
const coatName = (coat) => `coat ${coat}, the ${CHARGES[coat]}`;
const peasantSlots = (card) => [card - 43, (card - 43 + 3) % SLOTS].sort(byNumber);
const byNumber = (a, b) => a - b;
const range = (count) => Array.from({ length: count }, (_, index) => index);

/** The number of a value of an enum, which comes as its name in JSON. */
function enumOf(names, value) {
  if (typeof value === "number") return value;
  return Math.max(
    0,
    names.findIndex((name) => String(value || "").endsWith(`_${name}`)),
  );
}

const tokenOf = (value) => enumOf(TOKENS, value);

// -- the scene: one description for a State and for an Observation -----------------------------------------

/** The picture of a position: `message` is a State if `seat` is null, else what this seat observed. */
function scene(message, seat) {
  const phase = PHASES[enumOf(PHASES, message.phase) || 1];
  const given = message.seats || [];
  const count = message.config?.seats || given.length || 2;
  const resolving = message.resolving || 0;
  const first = message.first || 0,
    acted = message.acted || 0;
  const over = phase.startsWith("OVER");
  const players = range(count).map((number) => readPlayer(given[number] || {}, message, seat, number));
  const played = players
    .map((player) => player.played)
    .filter(Boolean)
    .sort((a, b) => b - a);
  const above = resolving ? played.filter((card) => card >= resolving && titleOf(card) !== BISHOP) : [];
  const coats = message.coats?.length ? message.coats : range(SLOTS).map((slot) => slot + 1);
  const slots = range(SLOTS).map((slot) => ({
    coat: coats[slot],
    token: tokenOf((message.tokens || [])[slot]),
    below: (message.row || [])[slot] || 0,
    above: above[slot] || 0,
    leader: majority(players, coats[slot]),
  }));
  score(players, slots);
  const deck = message.deck || [];
  const mover = phase === "PLAY" ? (first + acted) % count : players.findIndex((player) => player.played === resolving);
  return {
    game: "kingdoms",
    viewer: seat,
    round: message.round || 1,
    phase,
    over,
    first,
    acted,
    resolving,
    toMove: over ? null : mover,
    order: resolving ? played : [],
    slots,
    players: players.map((player, number) => ({
      ...player,
      satOut: satOut(number, player, first, acted, count, over),
    })),
    pending: [...(message.pending || [])],
    revealed: (message.revealed || []).map(tokenOf),
    faceDown: seat === null ? (message.face_down || []).map(tokenOf) : range(message.face_down_count || 0).map(() => 0),
    deckSize: seat === null ? deck.length : message.deck_size || 0,
    next: deck[0] || 0,
    removed: [...(message.removed || [])],
  };
}

function readPlayer(given, message, seat, number) {
  const known = [...(given.known || [])].sort(byNumber);
  const own = seat === null ? given.hand || [] : seat === number ? message.hand || [] : known;
  const hand = [...own].sort(byNumber);
  const hidden = seat === null || seat === number ? 0 : Math.max(0, (given.hand_size || 0) - hand.length);
  const kingdom = [...(given.kingdom || [])].sort(byNumber);
  return { hand, hidden, known, kingdom, played: given.played || 0 };
}

function satOut(number, player, first, acted, count, over) {
  return !over && !player.played && (number - first + count) % count < acted;
}

const ofCoat = (player, coat) => player.kingdom.filter((card) => coatOf(card) === coat);
const kingsOf = (cards) => cards.filter((card) => titleOf(card) === KING).length;
const worthOf = (cards) => cards.length + kingsOf(cards);

/** The one seat with the most cards of a coat, or null. */
function majority(players, coat) {
  const counts = players.map((player) => ofCoat(player, coat).length);
  const most = Math.max(...counts);
  const leaders = range(players.length).filter((seat) => counts[seat] === most);
  return most && leaders.length === 1 ? leaders[0] : null;
}

function bonusOf(player, coat, token) {
  if (token < DOUBLE) return token;
  if (token === DOUBLE) return worthOf(ofCoat(player, coat));
  if (token === PEASANT_TOKEN) return player.kingdom.filter((card) => titleOf(card) === PEASANT).length;
  return new Set(player.kingdom.map(coatOf)).size;
}

/** Give every player points, as they stand, and a place. */
function score(players, slots) {
  players.forEach((player, seat) => {
    player.kings = kingsOf(player.kingdom);
    player.cardPoints = worthOf(player.kingdom);
    player.tokens = slots
      .filter((slot) => slot.token && slot.leader === seat)
      .map((slot) => ({ token: slot.token, coat: slot.coat, points: bonusOf(player, slot.coat, slot.token) }));
    player.tokenPoints = player.tokens.reduce((sum, token) => sum + token.points, 0);
    player.points = player.cardPoints + player.tokenPoints;
  });
  const ahead = (a, b) => a.points > b.points || (a.points === b.points && a.kings > b.kings);
  for (const player of players) player.rank = 1 + players.filter((other) => ahead(other, player)).length;
}

// -- what is written ---------------------------------------------------------------------------------------

function winnersOf(view) {
  return range(view.players.length).filter((seat) => view.players[seat].rank === 1);
}

/** Who does what now; it names a seat at most once. */
function turnText(view, name) {
  if (view.over) {
    const winners = winnersOf(view),
      points = view.players[winners[0]].points;
    return winners.length > 1
      ? `Shared by ${winners.length}: ${points} points`
      : `${name(winners[0])} wins: ${points} points`;
  }
  const who = name(view.toMove),
    title = view.resolving ? TITLES[titleOf(view.resolving)] : "";
  if (view.phase === "PLAY") return `${who} plays a card`;
  if (view.phase === "TOKEN") return `${who} lays a token`;
  if (view.phase === "TAKE") return `${who} takes with the ${title}`;
  return `${who} stores ${cardName(view.pending[0] || 0)}`;
}

/** The rule behind the decision, in one short line. */
function ruleText(view) {
  if (view.over) return `${REASONS[view.phase]}, after round ${view.round}`;
  if (view.phase === "PLAY") return "then the highest number acts first";
  if (view.phase === "TOKEN") return "on the leftmost coat without one";
  if (view.phase === "PLACE") return "into the hand or, for good, the kingdom";
  const title = titleOf(view.resolving);
  if (title !== PEASANT) return title === BISHOP ? "take one card" : POWERS[title];
  return `take one card from slot ${peasantSlots(view.resolving)
    .map((slot) => ROMAN[slot])
    .join(" or ")}`;
}

const roundText = (view) => (view.over ? "Game over" : `Round ${view.round}`);
const VERBS = { PLAY: "to play", TOKEN: "token", TAKE: "to take", PLACE: "to store" };

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
  el("text", { x: round(x), y: round(y), "font-size": size, class: kind, "text-anchor": anchor }, words);
const rect = (x, y, width, height, kind, rx = 6) =>
  el("rect", { x: round(x), y: round(y), width: round(width), height: round(height), rx, class: kind });
const place = (x, y, scale, ...children) =>
  el("g", { transform: `translate(${round(x)} ${round(y)}) scale(${round(scale)})` }, ...children);
const title = (words) => el("title", {}, words);
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

// -- icons, in a box of 24 by 24 ---------------------------------------------------------------------------

const shape = (d, attributes = {}) => el("path", { d, "fill-rule": "evenodd", ...attributes });
const line = (d) => shape(d, { class: "line" });
const TITLE_ICONS = [
  [shape("M4 19h16v2.2H4zM4 17L2.5 7.5l5.3 3.7L12 4l4.2 7.2 5.3-3.7L20 17z")],
  [
    shape(
      "M12 1.5C8 4.5 5.5 8.5 5.5 13v4.5h13V13c0-4.5-2.5-8.5-6.5-11.5z" +
        "M11 7h2v2.5h2.3v2H13V15h-2v-3.5H8.7v-2H11zM5.5 19h13v3h-13z",
    ),
  ],
  [line("M3.5 3.5L17 17M13.5 19.5l6-6M17.5 17.5l4 4M20.5 3.5L7 17M10.5 19.5l-6-6M6.5 17.5l-4 4")],
  [shape("M8 2h8l3 3.5-7 6.5-7-6.5z"), line("M8.5 11a5.8 5.8 0 1 0 7 0")],
  [
    shape(
      "M7 21.5h11.5c0-5-.5-7.5-1-10.5-.7-4-3.5-6.7-7.5-6.7L9 1.8 7 5.2c-2.2 2-3.8 5-4.3 8.3l2.8 2" +
        " 4.8-2.8c.2 3-3.3 4-3.3 8.8zM8.8 7.2h1.7v1.7H8.8z",
    ),
  ],
  [
    shape(
      "M8.5 1.8h7l-1.8 4h-3.4z" +
        "M9.5 7.2h5c3.5 2.3 5.7 5.8 5.7 9.3 0 3.7-3 5.3-8.2 5.3s-8.2-1.6-8.2-5.3c0-3.5 2.2-7 5.7-9.3z" +
        "M12 11a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6zM12 12.8a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
    ),
  ],
  [line("M6 2.5v5c0 2.5 2 3.5 6 3.5s6-1 6-3.5v-5M12 2.5v19.5")],
];
const CHARGE_ICONS = [
  "",
  "M12 4.5l2 4.4 4.8.5-3.6 3.2 1 4.7-4.2-2.4-4.2 2.4 1-4.7-3.6-3.2 4.8-.5z",
  "M10.2 4.5h3.6v4.2H18v3.6h-4.2v6.2h-3.6v-6.2H6V8.7h4.2z",
  "M14.5 5A7 7 0 1 0 18 15.5 6 6 0 0 1 14.5 5z",
  "M6.5 5.5H9v2h2v-2h2v2h2v-2h2.5V11H16v7.5H8V11H6.5z",
  "M12 18.5C6.5 14.5 5.5 11.5 6 9.2c.7-2.7 4.2-3.3 6-.2 1.8-3.1 5.3-2.5 6 .2.5 2.3-.5 5.3-6 9.3z",
  "M12 3.8l4.8 6.2h-2.3l3.5 5h-4.8v3.5h-2.4V15H6l3.5-5H7.2z",
  "M12 5a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM12 8.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8z",
];
const SHIELD = "M2 1.5h20v11c0 5.3-4.3 8.7-10 10.5C6.3 21.2 2 17.8 2 12.5z";

const at = (kind, x, y, size, ...content) =>
  el("g", { class: kind, transform: `translate(${round(x)} ${round(y)}) scale(${round(size / 24)})` }, ...content);
const titleIcon = (number, x, y, size, kind = "icon") => at(kind, x, y, size, ...TITLE_ICONS[number]);
const shield = (coat, x, y, size) =>
  at(`shield k${coat}`, x, y, size, shape(SHIELD), shape(CHARGE_ICONS[coat], { class: "charge" }));
const crown = (x, y, size) => at("crown", x, y, size, ...TITLE_ICONS[KING]);
const pawn = (x, y, size) =>
  at(
    "pawn",
    x,
    y,
    size,
    title("First player of this round"),
    shape("M12 2a4.5 4.5 0 0 1 2.8 8L16.5 17H18v4.5H6V17h1.5l1.7-7A4.5 4.5 0 0 1 12 2z"),
  );
const eye = (x, y, size) =>
  at(
    "eye",
    x,
    y,
    size,
    shape(
      "M12 5C6.5 5 2.5 9.5 1 12c1.5 2.5 5.5 7 11 7s9.5-4.5 11-7c-1.5-2.5-5.5-7-11-7z" +
        "M12 8.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z",
    ),
  );

/** The mark of a seat: its number in a disc, a square, a diamond or a hexagon. */
function badge(seat, x, y, size) {
  const half = size / 2,
    outlines = [
      `M0 ${half}a${half} ${half} 0 1 1 ${size} 0a${half} ${half} 0 1 1 ${-size} 0z`,
      `M0 0h${size}v${size}h${-size}z`,
      `M${half} ${-size * 0.16}L${size * 1.16} ${half} ${half} ${size * 1.16} ${-size * 0.16} ${half}z`,
      `M${size * 0.22} 0h${size * 0.56}L${size * 1.06} ${half} ${size * 0.78} ${size}` +
        `h${-size * 0.56}L${-size * 0.06} ${half}z`,
    ];
  return el(
    "g",
    { transform: `translate(${round(x)} ${round(y)})` },
    shape(outlines[seat], { class: `badge s${seat}` }),
    text(half, size * 0.78, round(size * 0.79), "on-badge", String(seat), "middle"),
  );
}

// -- cards and tokens --------------------------------------------------------------------------------------

const CARD = { width: 84, height: 108 };
const MINI = { width: 44, height: 58 };
const TILES = {
  two: { height: 26, step: 27.5 },
  more: { height: 30, step: 31.5 },
  portrait: { height: 23, step: 24.5 },
};

function cardTitle(card) {
  const number = titleOf(card);
  const slots =
    number === PEASANT
      ? ` (slots ${peasantSlots(card)
          .map((slot) => ROMAN[slot])
          .join(" and ")})`
      : "";
  return title(`${cardName(card)}, ${coatName(coatOf(card))}: ${POWERS[number]}${slots}`);
}

/** A card of the row, as high as asked for: number and coat above, the icon of the title, its name below. */
function cardFace(card, wide, height = CARD.height) {
  const number = titleOf(card),
    coat = coatOf(card),
    size = wide ? 14 : 21;
  const word =
    number === PEASANT
      ? peasantSlots(card)
          .map((slot) => ROMAN[slot])
          .join(wide ? " + " : " ")
      : wide
        ? TITLES[number]
        : SHORT_TITLES[number];
  const low = height < 90;
  const room = height - 34 - size - 8,
    big = low ? height - 42 : Math.min(48, room);
  return [
    cardTitle(card),
    rect(1.5, 2.5, CARD.width, height, "shadow", 7),
    rect(0, 0, CARD.width, height, "paper", 7),
    rect(3, 3, CARD.width - 6, height - 6, `frame k${coat}`, 5),
    text(8, 28, 25, `ink k${coat} number`, String(card)),
    shield(coat, CARD.width - 34, 7, 27),
    titleIcon(number, (CARD.width - big) / 2, low ? height - big - 7 : 34 + (room - big) / 2, big, "icon dark"),
    ...(low ? [] : [text(CARD.width / 2, height - 9, size, "on-paper", word, "middle")]),
  ];
}

function miniFace(card, seen) {
  const coat = coatOf(card);
  return [
    cardTitle(card),
    rect(0, 0, MINI.width, MINI.height, "paper", 5),
    rect(2, 2, MINI.width - 4, MINI.height - 4, `frame k${coat}`, 4),
    text(MINI.width / 2, 23, 21, `ink k${coat} number`, String(card), "middle"),
    titleIcon(titleOf(card), 5, 31, 19, "icon dark"),
    shield(coat, 24, 32, 17),
    ...(seen
      ? [
          el(
            "g",
            {},
            title("Everybody saw this card being taken"),
            rect(MINI.width - 13, -4, 17, 13, "eye-ground", 6),
            eye(MINI.width - 11, -4.5, 13),
          ),
        ]
      : []),
  ];
}

const miniBack = () => [
  title("A hidden card"),
  rect(0, 0, MINI.width, MINI.height, "back", 5),
  rect(4, 4, MINI.width - 8, MINI.height - 8, "back-line", 3),
  at("back-line", 10, 17, 24, shape(SHIELD)),
];

function tileFace(card, width, height, size) {
  const coat = coatOf(card),
    icon = Math.min(height - 4, width - 4, size ? 19 : 24);
  const words = size
    ? [text(width - 4, height / 2 + size * 0.36, size, `ink k${coat} number`, String(card), "end")]
    : [];
  const x = size ? 3 : (width - icon) / 2;
  return [
    cardTitle(card),
    rect(0, 0, width, height, `paper edge k${coat}`, 4),
    titleIcon(titleOf(card), x, (height - icon) / 2, icon, "icon dark"),
    ...words,
  ];
}

/** A token: a disc with what it adds; 0 is one that lies face down. */
function tokenFace(token, radius, secret) {
  const about = token
    ? `Token ${TOKEN_NAMES[token]}: ${TOKEN_MEANINGS[token]}${secret ? ", still face down" : ""}`
    : "A token that lies face down";
  const kind = token ? (secret ? "token secret" : "token") : "token down";
  const disc = [title(about), el("circle", { cx: radius, cy: radius, r: radius, class: kind })];
  if (!token) return [...disc, el("circle", { cx: radius, cy: radius, r: radius * 0.6, class: "back-line" })];
  const icon = radius * 1.25;
  if (token === PEASANT_TOKEN)
    return [...disc, titleIcon(PEASANT, radius - icon / 2, radius - icon / 2, icon, "icon on-token")];
  if (token === COAT_TOKEN)
    return [...disc, at("icon on-token", radius - icon / 2, radius - icon / 2 + 1, icon, shape(SHIELD))];
  return [
    ...disc,
    text(radius, radius + radius * 0.39, round(radius * 1.06), "on-token number", TOKEN_NAMES[token], "middle"),
  ];
}

/** The two-tone outline that shows on any ground; `dashed` where something came from. */
function outline(x, y, width, height, dashed, rx = 7) {
  const kind = dashed ? " dashed" : "";
  return [
    rect(x - 3, y - 3, width + 6, height + 6, `mark-outer${kind}`, rx + 3),
    rect(x - 3, y - 3, width + 6, height + 6, `mark-inner${kind}`, rx + 3),
  ];
}

// -- the places of the two layouts -------------------------------------------------------------------------

const LAYOUTS = {
  wide: {
    width: 1000,
    pad: 10,
    small: 15,
    size: 17,
    big: 22,
    header: 36,
    gap: 8,
    board: { x: 172, y: 10, column: 92, scale: 1, above: 74, coat: 84, below: 122 },
    stock: { x: 10, y: 10, width: 152, height: 304 },
    status: { x: 826, y: 10, width: 164, height: 304 },
    panels: { y: 322, height: 308 },
  },
  portrait: {
    width: 600,
    pad: 6,
    small: 20,
    size: 21,
    big: 24,
    header: 40,
    gap: 6,
    board: { x: 9, y: 158, column: 83.2, scale: 0.95, above: 66, coat: 82, below: 108 },
    stock: { x: 6, y: 102, width: 588, height: 50 },
    status: { x: 6, y: 4, width: 588, height: 94 },
    panels: { y: 430, height: 0 },
  },
};

/** The panel of every seat: a row of them on a wide page; on a phone two below one another, or two by two. */
function panelsOf(view, L, wide) {
  const count = view.players.length,
    { y } = L.panels;
  if (wide) {
    const width = (L.width - 2 * L.pad - (count - 1) * L.gap) / count;
    const panel = {
      width,
      height: L.panels.height,
      y,
      number: count === 2 ? 15 : 0,
      mini: count < 4 ? 1.25 : 1,
      tile: count === 2 ? TILES.two : TILES.more,
    };
    return {
      height: y + L.panels.height + 10,
      list: range(count).map((seat) => ({ ...panel, x: L.pad + seat * (width + L.gap) })),
    };
  }
  if (count === 2) {
    const height = 300,
      panel = { x: L.pad, width: L.width - 2 * L.pad, height, number: 20, mini: 1, tile: TILES.portrait };
    return {
      height: y + 2 * height + L.gap + 6,
      list: range(2).map((seat) => ({ ...panel, y: y + seat * (height + L.gap) })),
    };
  }
  const width = (L.width - 2 * L.pad - L.gap) / 2,
    height = 266;
  return {
    height: y + 2 * height + L.gap + 6,
    list: range(count).map((seat) => ({
      x: L.pad + (seat % 2) * (width + L.gap),
      y: y + Math.floor(seat / 2) * (height + L.gap),
      width,
      height,
      number: 0,
      mini: 1,
      tile: TILES.portrait,
    })),
  };
}

/** Every thing of the picture in the order of drawing: key, place, content, and where it comes from if it is new. */
function thingsOf(view, options) {
  const wide = options.layout !== "portrait";
  const L = wide ? LAYOUTS.wide : LAYOUTS.portrait;
  const panels = panelsOf(view, L, wide);
  const names = view.players.map((_, seat) => String((options.names || [])[seat] || "") || `Seat ${seat}`);
  const turned = panels.list.map((_, seat) => panels.list[(seat + (options.turn ?? 0)) % panels.list.length]);
  const context = { L, view, names, wide, panels: turned, last: readLast(options.last, view), origins: {} };
  context.deck = deckPlace(context);
  return [
    still("ground", rect(0, 0, L.width, panels.height, "ground", 10)),
    still("status", ...statusContent(context)),
    ...stockThings(context),
    ...(!wide && view.players.length === 3 ? [still("legend", ...legendContent(context))] : []),
    ...boardThings(
      context,
      view.players.flatMap((_, seat) => seatThings(context, seat)),
    ),
  ];
}

const still = (key, ...content) => ({ key, kind: "still", x: 0, y: 0, scale: 1, content, from: null });
const thing = (key, x, y, scale, content, from) => ({ key, kind: "card", x, y, scale, content, from });

/** The last move as numbers: what was played, laid, taken from which slots, or put where. */
function readLast(last, view) {
  if (!last?.move) return { seat: null, card: 0, token: 0, slots: [], place: "" };
  const { move, seat } = last;
  const result = { seat, card: move.play || 0, token: tokenOf(move.token), slots: [], place: "" };
  if (move.take) result.slots = range(SLOTS).filter((slot) => (move.take >> slot) & 1);
  if (move.window) {
    const used = view.players[seat] ? view.players[seat].played : 0;
    const count = used ? WINDOWS[titleOf(used)] || 1 : 1;
    result.slots = range(count).map((step) => move.window - 1 + step);
  }
  if (move.place) {
    result.place = String(move.place).endsWith("HAND") ? "hand" : "kingdom";
    // A `place` does not say which card it is about, but the words of the move do.
    const named = /(\d+) (?:King|Bishop|General|Princess|Knight|Merchant|Peasant)/.exec(last.text || "");
    result.card = named ? Number(named[1]) : 0;
  }
  return result;
}

/** Whether this card in this place is what the last move was about. */
function isFresh(context, card, spot, seat) {
  const { last, view } = context;
  if (last.seat === null) return false;
  if (spot === "pending") return last.slots.length > 0 && view.pending.includes(card);
  if (last.place) return last.card === card && last.seat === seat;
  return last.card === card;
}

const LEGEND = ["1 to 4 cards", "token + card", "3 in a row", "1 or 2 cards", "2 in a row", "1 card", "1 of 2 slots"];

/** What the titles do, in the place that a fourth seat would have. */
function legendContent({ panels }) {
  const x = panels[1].x,
    { y, width, height } = panels[2];
  return [
    rect(x, y, width, height, "zone", 10),
    ...TITLES.flatMap((name, number) => {
      const middle = y + (height / 7) * (number + 0.5);
      return [
        titleIcon(number, x + 12, middle - 12, 24),
        text(x + 44, middle + 7, 20, "strong", name),
        text(x + width - 10, middle + 7, 20, "muted", LEGEND[number], "end"),
      ];
    }),
  ];
}

// -- status and stock --------------------------------------------------------------------------------------

function statusContent(context) {
  return context.wide ? wideStatus(context) : portraitStatus(context);
}

function turnLine(context, x, base, size, width) {
  const { view } = context;
  const mark = size * 1.25,
    top = base - size * 0.98;
  const sign = view.toMove === null ? crown(x, top, mark) : badge(view.toMove, x + 2, top, mark);
  return [
    sign,
    text(
      x + mark + 12,
      base,
      size,
      "strong",
      fit(context, size, width - mark - 12, (name) => turnText(view, name)),
    ),
  ];
}

function portraitStatus(context) {
  const { L, view } = context;
  const { x, y, width, height } = L.status;
  const order =
    view.order.length > 1
      ? `powers ${view.order.map((card) => (card === view.resolving ? `[${card}]` : card)).join(" › ")}`
      : "";
  return [
    rect(x, y, width, height, "zone", 10),
    text(x + 10, y + 26, L.size, "strong", roundText(view)),
    text(x + width - 10, y + 26, L.small, "muted", order, "end"),
    ...turnLine(context, x + 8, y + 55, L.size, width - 20),
    text(x + 10, y + 83, L.small, "muted", ruleText(view)),
  ];
}

/** Lines of at most this width. */
function wrap(words, size, width) {
  const lines = [];
  for (const word of words.split(" ")) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && widthOf(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function wideStatus(context) {
  const { L, view, names } = context;
  const { x, y, width, height } = L.status;
  const inner = width - 24,
    who = view.over ? winnersOf(view)[0] : view.toMove;
  const content = [
    rect(x, y, width, height, "zone", 10),
    text(x + 12, y + 29, L.big - 3, "strong", shorten(roundText(view), L.big - 3, inner)),
  ];
  let base = y + 60;
  if (!view.over || winnersOf(view).length === 1) {
    content.push(
      badge(who, x + 14, base - 16, 21),
      text(x + 46, base, L.size, "strong", shorten(names[who], L.size, inner - 34)),
    );
    base += 26;
  }
  const doing = turnText(view, () => "").trim();
  for (const words of wrap(doing, L.size, inner)) {
    content.push(text(x + 12, base, L.size, "strong", words));
    base += 22;
  }
  base += 4;
  for (const words of wrap(ruleText(view), L.small, inner)) {
    content.push(text(x + 12, base, L.small, "muted", words));
    base += 20;
  }
  if (view.order.length) content.push(...powerOrder(context, x + 12, y + 202));
  return content;
}

/** The played cards in the order of their powers, with the one that acts now marked. */
function powerOrder(context, x, base) {
  const { view } = context;
  const rows = view.order.map((card, index) => {
    const y = base + 20 + index * 22,
      now = card === view.resolving;
    const seat = view.players.findIndex((player) => player.played === card);
    return [
      ...(now ? [rect(x - 6, y - 16, 152, 21, "ahead", 5)] : []),
      badge(seat, x + 2, y - 14, 16),
      text(x + 28, y, 15, now ? "strong" : "muted", cardName(card)),
    ];
  });
  return [text(x, base - 2, 15, "muted", "order of powers"), ...rows.flat()];
}

function deckPlace({ L, wide, view }) {
  return wide
    ? { x: L.stock.x + 14, y: L.stock.y + 36, scale: 1 }
    : { x: L.stock.x + 98, y: L.stock.y + (view.next ? 6 : 4), scale: view.next ? 1 : 0.68 };
}

function stockThings(context) {
  const { L, view, wide, deck } = context;
  const { x, y, width, height } = L.stock;
  const things = [
    still(
      "stock",
      rect(x, y, width, height, "zone", 10),
      ...(wide
        ? wideStockLabels(context, x, y, width)
        : [
            text(x + 10, y + 32, L.small, "muted", `deck ${view.deckSize}`),
            text(x + 174, y + 32, L.small, "muted", "tokens"),
          ]),
    ),
  ];
  if (view.deckSize) {
    const about = title(`The deck, ${view.deckSize} cards`);
    // On the phone the next card is as low as the tiles of a kingdom, so that its number is large enough.
    const [across, high] = wide || !view.next ? [MINI.width, MINI.height] : [64, 36];
    things.push(still("deck-under", place(deck.x + 3, deck.y + 3, deck.scale, rect(0, 0, across, high, "back", 5))));
    if (view.next)
      things.push(
        thing(
          `card-${view.next}`,
          deck.x,
          deck.y,
          deck.scale,
          wide ? miniFace(view.next, false) : tileFace(view.next, 64, 36, 21),
          null,
        ),
      );
    else things.push(thing("deck", deck.x, deck.y, deck.scale, [about, ...miniBack().slice(1)], null));
  }
  const radius = wide ? 19 : 18.5;
  const spots = tokenSpots(context);
  const [downX, downY] = spots.down(0);
  const turned = { x: downX, y: downY, scale: spots.small };
  view.revealed.forEach((token, index) =>
    things.push(thing(`token-${token}`, ...spots.open(index), 1, tokenFace(token, radius, false), turned)),
  );
  view.faceDown.forEach((token, index) => {
    const key = token ? `token-${token}` : `down-${index}`;
    things.push(thing(key, ...spots.down(index), spots.small, tokenFace(token, radius, true), null));
  });
  return things;
}

function wideStockLabels({ view }, x, y, width) {
  return [
    text(x + 12, y + 25, 15, "muted", `deck ${view.deckSize}`),
    text(x + width - 12, y + 25, 15, "muted", `out ${view.removed.length}`, "end"),
    el(
      "g",
      {},
      title(
        view.removed.length
          ? `Out of the game: ${view.removed.map(cardName).join(", ")}`
          : "No card is out of the game",
      ),
      rect(x + width - 58, y + 36, MINI.width, MINI.height, "slot", 5),
    ),
    text(x + 12, y + 132, 15, "muted", "open tokens"),
    text(x + 12, y + 218, 15, "muted", `face down ${view.faceDown.length}`),
  ];
}

/** Where open and face-down tokens lie. */
function tokenSpots({ L, wide, view }) {
  const { x, y, width } = L.stock;
  if (wide) {
    const open = (index) => [x + 14 + index * 50, y + 146];
    return { open, down: (index) => [x + 12 + (index % 4) * 33, y + 230 + Math.floor(index / 4) * 34], small: 0.79 };
  }
  const start = x + width - 10 - view.faceDown.length * 40;
  return { open: (index) => [x + 250 + index * 42, y + 6.5], down: (index) => [start + index * 40, y + 6.5], small: 1 };
}

// -- the board: seven columns of a card above, a coat with its token, a card below -------------------------

function boardThings(context, seats) {
  const { L, view, last } = context;
  const { column, scale, above, coat, below } = L.board;
  const { x: left, y: top } = L.board;
  const inset = (column - CARD.width * scale) / 2;
  const coatTop = top + above * scale + 8,
    belowTop = coatTop + coat + 8;
  const frames = [],
    cards = [];
  view.slots.forEach((slot, index) => {
    const x = left + index * column + inset;
    frames.push(...slotFrame(context, slot, index, x, { top, coatTop, belowTop }));
    if (slot.below) cards.push(rowCard(context, slot.below, x, belowTop, below));
    if (slot.above) cards.push(rowCard(context, slot.above, x, top, above));
    if (slot.token) cards.push(slotToken(context, slot, x + CARD.width * scale - 40, coatTop + 4));
  });
  const marks = last.slots
    .filter((slot) => slot < SLOTS)
    .flatMap((slot) =>
      outline(left + slot * column + inset + 3, belowTop + 3, CARD.width * scale - 6, below * scale - 6, true, 5),
    );
  // Cards that lie in the row come before the panels, so that a card on its way to a panel is seen above the board.
  return [still("board", ...frames), ...cards, still("taken-from", ...marks), ...seats];
}

function rowCard(context, card, x, y, height) {
  const { wide } = context,
    { scale } = context.L.board;
  const marks = isFresh(context, card, "row", null) ? outline(0, 0, CARD.width, height, false) : [];
  return thing(
    `card-${card}`,
    x,
    y,
    scale,
    [...cardFace(card, wide, height), ...marks],
    context.origins[card] || context.deck,
  );
}

function slotToken(context, slot, x, y) {
  const radius = context.wide ? 19 : 18.5;
  const marks = context.last.token === slot.token ? outline(0, 0, 2 * radius, 2 * radius, false, radius) : [];
  return thing(`token-${slot.token}`, x, y, 1, [...tokenFace(slot.token, radius, false), ...marks], null);
}

function slotFrame(context, slot, index, x, { top, coatTop, belowTop }) {
  const { L, wide } = context;
  const { scale, above, coat, below } = L.board;
  const width = CARD.width * scale,
    radius = wide ? 19 : 18.5,
    label = wide ? 16 : 20;
  const leader = slot.leader;
  const about = leader === null ? "nobody has the most cards of it" : `seat ${leader} has the most cards of it`;
  return [
    rect(x, top, width, above * scale, "slot", 6),
    rect(x, belowTop, width, below * scale, "slot", 6),
    el(
      "g",
      {},
      title(`Slot ${ROMAN[index]}: ${coatName(slot.coat)}; ${about}`),
      rect(x - 1, coatTop, width + 2, coat, "coat", 8),
      text(x + 5, coatTop + label + 1, label, "strong", ROMAN[index]),
      shield(slot.coat, x + 4, coatTop + coat - 52, 48),
    ),
    ...(slot.token
      ? []
      : [el("circle", { cx: x + width - 40 + radius, cy: coatTop + 4 + radius, r: radius - 1, class: "slot" })]),
    ...(leader === null
      ? []
      : [badge(leader, x + width - (wide ? 28 : 32), coatTop + coat - (wide ? 27 : 31), wide ? 20 : 25)]),
  ];
}

// -- a seat: header, hand and played card, kingdom ---------------------------------------------------------

function seatThings(context, seat) {
  const { L, view } = context;
  const panel = context.panels[seat];
  const frame = view.toMove === seat ? "zone active" : "zone";
  return [
    still(
      `panel-${seat}`,
      rect(panel.x, panel.y, panel.width, panel.height, frame, 10),
      ...headerContent(context, seat, panel),
    ),
    ...(view.over
      ? [still(`result-${seat}`, ...resultContent(context, seat, panel))]
      : handThings(context, seat, panel, panel.y + L.header + 4)),
    ...kingdomThings(context, seat, panel, panel.y + L.header + MINI.height * panel.mini + 14),
  ];
}

const PLACES = ["", "1st", "2nd", "3rd", "4th"];

function headerContent(context, seat, panel) {
  const { L, view, names } = context;
  const player = view.players[seat];
  const middle = panel.y + L.header / 2 + 1,
    base = middle + L.size * 0.35,
    mark = L.size * 1.25;
  const points = `${player.points} pt`;
  const pointsWidth = widthOf(points, L.size);
  let x = panel.x + 14 + mark + 10;
  const sign = [];
  if (view.first === seat && !view.over) {
    sign.push(pawn(x - 4, middle - mark / 2 - 1, mark));
    x += mark;
  }
  const pill = pillOf(context, seat, panel);
  const room = panel.x + panel.width - 12 - pointsWidth - 8 - pill.width - x;
  // A name is written smaller before it is cut.
  const size = widthOf(names[seat], L.size) <= room ? L.size : L.small;
  const label = shorten(names[seat], size, room);
  return [
    badge(seat, panel.x + 14, middle - mark / 2, mark),
    ...sign,
    el("g", {}, title(`${names[seat]}, seat ${seat}`), text(x, base, size, "strong", label)),
    ...pill.content(x + widthOf(label, size) + 10, middle),
    el(
      "g",
      {},
      title(`${player.cardPoints} for cards, ${player.tokenPoints} for tokens as it stands`),
      text(panel.x + panel.width - 12, base, L.size, "strong", points, "end"),
    ),
  ];
}

/** What the seat has to do, or its place at the end; narrow panels have no room for it and show an arrow. */
function pillOf(context, seat, panel) {
  const { L, view } = context;
  const words = view.over
    ? PLACES[view.players[seat].rank]
    : view.toMove === seat
      ? panel.width > 300
        ? VERBS[view.phase]
        : "▶"
      : "";
  if (!words) return { width: 0, content: () => [] };
  const width = widthOf(words, L.small) + 18;
  return {
    width: width + 12,
    content: (x, middle) => [
      rect(x, middle - L.small * 0.85, width, L.small * 1.7, "pill", L.small * 0.85),
      text(x + width / 2, middle + L.small * 0.35, L.small, "on-pill", words, "middle"),
    ],
  };
}

function resultContent(context, seat, panel) {
  const { L, view } = context;
  const player = view.players[seat];
  const x = panel.x + 14,
    y = panel.y + L.header + L.small + 6;
  const kings = `${player.kings} King${player.kings === 1 ? "" : "s"}`;
  const lines =
    panel.width > 300
      ? [
          `${player.cardPoints} for cards, with ${kings}`,
          `${player.tokenPoints} for ${player.tokens.length} token${player.tokens.length === 1 ? "" : "s"}`,
        ]
      : [`cards ${player.cardPoints}, ${kings}`, `tokens ${player.tokenPoints}`];
  return lines.map((words, index) => text(x, y + index * L.small * 1.4, L.small, "plain", words));
}

/** The hand, the gap of a card that was just played, the played card that waits, and cards that wait to be stored. */
function handThings(context, seat, panel, y) {
  const { view, last } = context;
  const player = view.players[seat],
    scale = panel.mini;
  const step = MINI.width * scale + 5,
    left = panel.x + 12;
  const entries = [...player.hand.map((card) => ({ card })), ...range(player.hidden).map((hidden) => ({ hidden }))];
  const gap = last.seat === seat && last.card && !last.place && entries.length < HAND_LIMIT ? last.card : 0;
  if (gap) entries.splice(player.hidden ? entries.length : player.hand.filter((card) => card < gap).length, 0, { gap });
  const things = [];
  if (last.place === "hand" && last.seat === seat && !last.card) {
    things.push(
      still(`target-${seat}`, ...outline(left - 2, y - 2, HAND_LIMIT * step, MINI.height * scale + 4, false, 4)),
    );
  }
  entries.forEach((entry, index) => {
    const x = left + index * step;
    if (entry.gap) {
      context.origins[gap] = { x, y, scale };
      things.push(still("gap", ...outline(x + 3, y + 3, MINI.width * scale - 6, MINI.height * scale - 6, true, 3)));
    } else if (entry.card) things.push(miniThing(context, entry.card, "hand", seat, x, y, context.deck));
    else things.push(thing(`hand-${seat}-${entry.hidden}`, x, y, scale, miniBack(), context.deck));
  });
  return [...things, ...asideThings(context, seat, panel, left + entries.length * step + 8, y)];
}

/** A card of a panel; the one that the last move was about is outlined. */
function miniThing(context, card, spot, seat, x, y, from) {
  const marks = isFresh(context, card, spot, seat) ? outline(0, 0, MINI.width, MINI.height, false, 5) : [];
  const seen = spot === "hand" && context.view.players[seat].known.includes(card);
  return thing(`card-${card}`, x, y, context.panels[seat].mini, [...marks, ...miniFace(card, seen)], from);
}

function asideThings(context, seat, panel, x, y) {
  const { L, view } = context;
  const player = view.players[seat],
    right = panel.x + panel.width - 12,
    width = MINI.width * panel.mini;
  if (view.phase === "PLACE" && view.toMove === seat) return pendingThings(context, seat, x, right, y);
  if (player.satOut) {
    const words = ["drew 2,", "sits out"].map((word, index) =>
      text(right, y + 24 + index * L.small * 1.3, L.small, "muted", word, "end"),
    );
    return [still(`aside-${seat}`, ...words)];
  }
  if (!isLaid(view, player)) return [];
  const room = right - width - x - 8;
  const word =
    widthOf("played", L.small) <= room ? [text(right - width - 8, y + 36, L.small, "muted", "played", "end")] : [];
  const from = context.origins[player.played] || context.deck;
  return [still(`aside-${seat}`, ...word), miniThing(context, player.played, "played", seat, right - width, y, from)];
}

/** Whether the played card of this seat still lies in front of it and waits for its power. */
const isLaid = (view, player) => player.played > 0 && (!view.resolving || player.played < view.resolving);

function pendingThings(context, seat, x, right, y) {
  const { pending } = context.view;
  const width = MINI.width * context.panels[seat].mini;
  const step = Math.min(width + 8, (right - x - width) / Math.max(1, pending.length - 1));
  const start = right - width - (pending.length - 1) * step;
  // The next one to be stored lies on top and in the left place.
  return range(pending.length)
    .reverse()
    .map((index) => miniThing(context, pending[index], "pending", seat, start + index * step, y, null));
}

/** The kingdom in seven columns, in the order of the coats of the board. */
function kingdomThings(context, seat, panel, y) {
  const { view, wide, last } = context;
  const player = view.players[seat];
  const column = (panel.width - 14) / SLOTS,
    left = panel.x + 7;
  const headSize = column < 36 ? 16 : 19,
    head = headSize + 9;
  const heads = [],
    things = [];
  if (last.place === "kingdom" && last.seat === seat && !last.card)
    heads.push(...outline(left, y, panel.width - 14, panel.height - (y - panel.y) - 8, false, 4));
  view.slots.forEach((slot, index) => {
    const x = left + index * column,
      cards = ofCoat(player, slot.coat);
    // A column that is too long for the panel is pushed together.
    const step = Math.min(
      panel.tile.step,
      (panel.y + panel.height - y - head - panel.tile.height - 5) / Math.max(1, cards.length - 1),
    );
    const size = column < 36 ? 14 : wide ? 15 : 20;
    const width = headSize + 2 + widthOf(String(cards.length), size);
    const start = x + (column - width) / 2;
    heads.push(
      el(
        "g",
        {},
        title(`${coatName(slot.coat)}: ${cards.length} in this kingdom`),
        ...(slot.leader === seat ? [rect(x + 0.5, y - 3, column - 1, head + cards.length * step + 2, "ahead", 5)] : []),
        shield(slot.coat, start, y + 1, headSize),
        text(
          start + headSize + 2,
          y + headSize * 0.5 + size * 0.36 + 1,
          size,
          slot.leader === seat ? "strong" : "muted",
          String(cards.length),
        ),
      ),
    );
    cards.forEach((card, at) =>
      things.push(tileThing(context, card, panel, x + 1.5, y + head + at * step, column - 3, seat)),
    );
  });
  return [still(`kingdom-${seat}`, ...heads), ...things];
}

function tileThing(context, card, panel, x, y, width, seat) {
  const { height } = panel.tile;
  const marks = isFresh(context, card, "kingdom", seat) ? outline(0, 0, width, height, false, 3) : [];
  const content = [...tileFace(card, round(width), height, panel.number), ...marks];
  return thing(`card-${card}`, x, y, 1, content, context.origins[card] || null);
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
  for (const animation of moving.get(svg) || []) animation.cancel();
  const ground = things[0].content[0].attributes;
  svg.setAttribute("viewBox", `0 0 ${ground.width} ${ground.height}`);
  svg.classList.add("game-kingdoms");
  for (const item of things) {
    const known = before.get(item.key);
    const node = known ? known.node : document.createElementNS(SVG, "g");
    node.setAttribute("data-key", item.key);
    node.setAttribute("class", item.kind);
    node.setAttribute("transform", `translate(${round(item.x)} ${round(item.y)}) scale(${round(item.scale)})`);
    // What looks the same is left alone: building elements is most of the work.
    const look = JSON.stringify(item.content);
    if (!known || known.look !== look) node.replaceChildren(...item.content.map(build));
    after.set(item.key, { node, item, look });
  }
  svg.replaceChildren(...[...after.values()].map((entry) => entry.node));
  drawn.set(svg, after);
  const animated = previous && options.duration > 0 ? [...after.values()] : [];
  moving.set(
    svg,
    animated.map((entry) => animate(entry, before.get(entry.item.key), options.duration)).filter(Boolean),
  );
}

function animate({ node, item }, known, duration) {
  if (item.kind !== "card") return null;
  const from = known ? known.item : item.from;
  const timing = { duration, easing: "cubic-bezier(.2,.7,.3,1)" };
  if (!from) return node.animate([{ opacity: 0 }, { opacity: 1 }], timing);
  const steps = [from, item].map((spot) => ({ transform: `translate(${spot.x}px, ${spot.y}px) scale(${spot.scale})` }));
  return steps[0].transform === steps[1].transform ? null : node.animate(steps, timing);
}

// -- the position in words ---------------------------------------------------------------------------------

/** The position in words, for screen readers and for people. */
function say(view) {
  const name = (seat) => `Seat ${seat}`;
  return {
    heading: `${roundText(view)}. ${turnText(view, name)}: ${ruleText(view)}.`,
    lists: [
      { title: "Slots", items: view.slots.map(saySlot) },
      { title: "Stock", items: sayStock(view) },
      ...view.players.map((player, seat) => ({ title: name(seat), items: sayPlayer(view, player, seat) })),
    ],
    table: {
      caption: "Kingdoms and points as they stand",
      head: ["Seat", "Points", "Cards", "Kings", "Tokens", ...view.slots.map((slot) => `Coat ${slot.coat}`)],
      rows: view.players.map((player, seat) => [
        String(seat),
        String(player.points),
        String(player.kingdom.length),
        String(player.kings),
        player.tokens.map(({ token, coat, points }) => `${TOKEN_NAMES[token]} on coat ${coat}: ${points}`).join(", ") ||
          "none",
        ...view.slots.map((slot) => String(ofCoat(player, slot.coat).length)),
      ]),
    },
  };
}

function saySlot(slot, index) {
  const token = slot.token ? `token ${TOKEN_NAMES[slot.token]}` : "no token";
  const leader = slot.leader === null ? "no majority" : `majority seat ${slot.leader}`;
  const above = slot.above ? `, above ${cardName(slot.above)}` : "";
  const below = slot.below ? cardName(slot.below) : "nothing";
  return `${ROMAN[index]}: ${coatName(slot.coat)}, ${token}, ${leader}${above}, below ${below}.`;
}

function sayStock(view) {
  const down = view.faceDown
    .filter(Boolean)
    .map((token) => TOKEN_NAMES[token])
    .join(", ");
  return [
    `Deck: ${view.deckSize} cards${view.next ? `, next ${cardName(view.next)}` : ""}.`,
    `Open tokens: ${view.revealed.map((token) => TOKEN_NAMES[token]).join(", ") || "none"}.`,
    `Face-down tokens: ${view.faceDown.length}${down ? ` (${down})` : ""}.`,
    ...(view.order.length ? [`Powers in this order: ${view.order.map(cardName).join(", ")}.`] : []),
    ...(view.removed.length ? [`Out of the game: ${view.removed.map(cardName).join(", ")}.`] : []),
  ];
}

function sayPlayer(view, player, seat) {
  const hand = [
    ...player.hand.map((card) => `${cardName(card)}${player.known.includes(card) ? " (seen by all)" : ""}`),
    ...(player.hidden ? [`${player.hidden} hidden`] : []),
  ];
  const rank = view.over ? `, place ${player.rank}` : "";
  const pending =
    view.phase === "PLACE" && view.toMove === seat ? [`To be stored: ${view.pending.map(cardName).join(", ")}.`] : [];
  return [
    `${player.points} points: ${player.cardPoints} for cards, ${player.tokenPoints} for tokens${rank}.`,
    ...(view.first === seat && !view.over ? ["First player of this round."] : []),
    `Hand: ${hand.join(", ") || "none"}.`,
    ...(player.played ? [`Played: ${cardName(player.played)}.`] : []),
    ...(player.satOut ? ["Drew two cards and sits this round out."] : []),
    ...pending,
    `Kingdom: ${player.kingdom.map(cardName).join(", ") || "empty"}.`,
  ];
}

/** Whether `options.turn` changes who sits where. */
const turns = true;

export { scene, draw, say, turns };
