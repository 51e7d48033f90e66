// King & Assassins in a browser: the town with its streets, roofs and castle doors, and everybody in it.
//
// `scene` turns the JSON of a State or an Observation into a plain description, `draw` turns a description into SVG,
// `say` into words. Only `scene` reads messages, so that picture and words know exactly what the message told.

const SIZE = 10;
const OFF = 100;
const CITIZENS = 12;
const FIRST_KNIGHT = 13;
const FIGURES = 20;
const WOUNDS_TO_DIE = 2;
const MAX_KILLS = 2;

// The same facts as in boards/a.toml and boards/b.toml, which a page cannot read.
const BOARDS = {
  a: {
    title: "side A",
    terrain: [
      "#####..###",
      "#####..###",
      "#........#",
      "#.........",
      "#....##...",
      ".....##...",
      "##...##...",
      "##...##...",
      "##........",
      "##........",
    ].join(""),
    doors: [
      { square: 22, towards: "north" },
      { square: 41, towards: "west" },
    ],
    starts: [99],
    rounds: 15,
  },
  b: {
    title: "side B",
    terrain: [
      "..........",
      "..........",
      "..######..",
      "..##..##..",
      "..##..##..",
      "..##..##..",
      "..######..",
      "..######..",
      "...####...",
      "...####...",
    ].join(""),
    doors: [{ square: 4, towards: "north" }],
    starts: [90, 99],
    rounds: 14,
  },
};
// Action points of the king, the knights and the crowd, and if there are fetters, per kind of card.
const CARDS = [
  [1, 6, 5, true],
  [1, 5, 4, false],
  [2, 7, 5, false],
  [2, 7, 4, false],
  [2, 5, 4, false],
  [1, 5, 4, true],
  [1, 5, 5, true],
];
const TURNS = { north: 0, east: 90, south: 180, west: 270 };
const ROLES = ["King", "Assassins"];
const ENDINGS = {
  entered: { winner: 0, words: "The king is in his castle" },
  assassins_gone: { winner: 0, words: "All three assassins are gone" },
  king_dead: { winner: 1, words: "The king is dead" },
  too_late: { winner: 1, words: "Too late: the king is still outside" },
};
const MOVERS = { choose: 1, start: 0, king: 0, assassins: 1 };

// -- the description ----------------------------------------------------------------------------------------

/** What is to be seen: of everything if the seat is null, or of what this seat knew. */
function scene(message, seat) {
  const name = (message.config?.board ?? "").endsWith("_B") ? "b" : "a";
  const board = BOARDS[name];
  const phase = suffix(message.phase, "ASSASSINS_PHASE_") || "king";
  const ending = suffix(message.ending, "ASSASSINS_ENDING_");
  const cards = message.cards ?? [];
  const toCome = message.deck ?? Array(message.deck_size ?? 0).fill(null);
  const figures = readFigures(message, phase, ending, board);
  const winner = ENDINGS[ending]?.winner ?? null;
  return {
    seat,
    board: name,
    title: board.title,
    phase,
    ending,
    winner,
    toMove: MOVERS[phase] ?? null,
    scores: [Number(winner === 0), Number(winner === 1)],
    round: cards.length,
    rounds: cards.length + toCome.length || board.rounds,
    card: cards.length ? face(cards.at(-1)) : null,
    toCome: toCome.map((kind) => (kind === null ? null : face(kind))),
    points: readPoints(message, cards),
    fetters: readFetters(message, cards, phase),
    kills: message.kills ?? 0,
    wounds: message.wounds ?? 0,
    stepsHome: stepsHome(board, figures[0].square),
    figures,
    assassins: readAssassins(message, figures, phase),
    removed: message.removed ?? [],
    starts: phase === "choose" || phase === "start" ? (board.starts.length > 1 ? board.starts : []) : [],
    log: (message.events?.length ? message.events : (message.earlier ?? [])).map((event) => event.move ?? {}),
  };
}

/** The end of an enum's name in lower case; "" for the unspecified one. */
function suffix(value, prefix) {
  const end = (value ?? "").replace(prefix, "").toLowerCase();
  return end === "unspecified" ? "" : end;
}

function face(kind) {
  const [king, knights, crowd, fetters] = CARDS[kind];
  return { kind, king, knights, crowd, fetters };
}

function readPoints(message, cards) {
  const [king, knights, crowd] = cards.length ? CARDS[cards.at(-1)] : [0, 0, 0];
  return {
    king: { left: message.king_points ?? 0, of: king },
    knights: { left: message.knight_points ?? 0, of: knights },
    crowd: { left: message.crowd_points ?? 0, of: crowd },
  };
}

function readFetters(message, cards, phase) {
  if (!cards.length || !CARDS[cards.at(-1)][3]) return "none";
  if (message.captured) return "used";
  return phase === "king" ? "open" : "missed";
}

function readFigures(message, phase, ending, board) {
  const missing = Array(CITIZENS - (message.citizens?.length ?? 0)).fill(OFF);
  const places = [message.king, ...(message.citizens ?? []), ...missing, ...(message.knights ?? [])];
  const revealed = new Set(message.revealed ?? []),
    secret = new Set(message.assassins ?? []);
  const fates = { waiting: phase === "choose" || phase === "start", ending, revealed };
  return Array.from({ length: FIGURES }, (_, number) => {
    const square = places[number] === undefined || places[number] === OFF ? null : places[number];
    return {
      number,
      role: roleOf(number, revealed),
      secret: secret.has(number) && !revealed.has(number),
      square,
      level: square === null ? null : isRoof(board, square) ? "roof" : "street",
      fate: square === null ? fateOf(number, fates) : null,
    };
  });
}

function roleOf(number, revealed) {
  if (number === 0) return "king";
  if (number >= FIRST_KNIGHT) return "knight";
  return revealed.has(number) ? "assassin" : "citizen";
}

/** Why a figure is not on the board. */
function fateOf(number, { waiting, ending, revealed }) {
  if (waiting) return "waiting";
  if (number === 0) return ending === "entered" ? "entered" : "killed";
  return number >= FIRST_KNIGHT || revealed.has(number) ? "killed" : "captured";
}

/** The three assassins: who they are as far as the message tells, and what became of them. */
function readAssassins(message, figures, phase) {
  const known = message.assassins?.length ? message.assassins : (message.revealed ?? []);
  const named = [...known]
    .sort((first, second) => first - second)
    .map((number) => {
      const figure = figures[number];
      return { number, status: figure.fate ?? (figure.secret ? "hidden" : "revealed") };
    });
  const blank = { number: null, status: phase === "choose" ? "unchosen" : "unknown" };
  return [...named, ...Array(Math.max(0, 3 - named.length)).fill(blank)];
}

/** The king's steps into the castle if nobody were in his way; null if he is not on the board. */
function stepsHome(board, square) {
  if (square === null) return null;
  const doors = new Set(board.doors.map((door) => door.square));
  const distance = new Map([[square, 1]]);
  for (const here of distance.keys()) {
    if (doors.has(here)) return distance.get(here);
    for (const next of neighbours(here)) {
      if (!isRoof(board, next) && !distance.has(next)) distance.set(next, distance.get(here) + 1);
    }
  }
  return null;
}

function isRoof(board, square) {
  return board.terrain[square] === "#";
}

function neighbours(square) {
  const row = Math.floor(square / SIZE),
    column = square % SIZE;
  return [
    [row - 1, column],
    [row, column + 1],
    [row + 1, column],
    [row, column - 1],
  ]
    .filter(([down, right]) => down >= 0 && down < SIZE && right >= 0 && right < SIZE)
    .map(([down, right]) => SIZE * down + right);
}

// -- words --------------------------------------------------------------------------------------------------

/** The position in words. */
function say(scene) {
  return {
    heading: headline(scene),
    lists: [
      { title: "Points", items: sayPoints(scene) },
      { title: "King", items: sayKing(scene) },
      { title: "The three assassins", items: scene.assassins.map(sayAssassin) },
      { title: "Gone", items: sayGone(scene) },
      { title: "Cards to come", items: sayCards(scene) },
    ],
    table: {
      caption: `The town, ${scene.title}: who stands where (square = 10 × row + column, row 0 is at the castle)`,
      head: ["figure", "square", "row", "column", "stands on"],
      rows: scene.figures.filter((figure) => figure.square !== null).map(sayFigure),
    },
  };
}

function headline(scene) {
  if (scene.phase === "over") return `${ENDINGS[scene.ending].words}: the ${SIDES[scene.winner]} won.`;
  return `${roundWords(scene)}: ${task(scene)}.`;
}

const SIDES = ["king's side (seat 0)", "assassins' side (seat 1)"];

function task(scene) {
  const side = SIDES[scene.toMove];
  if (scene.phase === "choose") return `the ${side} chooses three assassins in secret`;
  if (scene.phase === "start") return `the ${side} chooses where the king starts`;
  return `the ${side} is to move`;
}

function roundWords(scene) {
  return scene.round ? `Round ${scene.round} of ${scene.rounds}` : "Before the first round";
}

function sayPoints(scene) {
  if (!scene.card) return ["No card is open yet."];
  const pools = [
    ["King", "king"],
    ["Knights", "knights"],
    ["Crowd", "crowd"],
  ];
  return [
    ...pools.map(([title, key]) => `${title}: ${scene.points[key].left} of ${scene.points[key].of} action points left`),
    `Capture: ${FETTERS[scene.fetters]}`,
    `Knights killed in this round: ${scene.kills} of at most ${MAX_KILLS}`,
  ];
}

const FETTERS = {
  none: "not possible in this round, the card has no fetters",
  open: "still possible in this round, the card has fetters",
  used: "made in this round",
  missed: "not made in this round, although the card has fetters",
};

function sayKing(scene) {
  const king = scene.figures[0];
  const wounds = `Wounds: ${scene.wounds} of ${WOUNDS_TO_DIE}`;
  if (king.fate === "waiting") return [`He may start on ${scene.starts.join(" or ")}.`, wounds];
  if (king.fate) return [king.fate === "entered" ? "He is in the castle." : "He is dead.", wounds];
  return [`On square ${two(king.square)}, ${count(scene.stepsHome, "step")} from the castle`, wounds];
}

function sayAssassin({ number, status }) {
  if (status === "unchosen") return "not chosen yet";
  if (status === "unknown") return "an unknown citizen";
  return `number ${number}: ${status === "hidden" ? "still hidden among the citizens" : status}`;
}

function sayGone(scene) {
  const gone = [...lostCrowd(scene), ...lostKnights(scene)];
  return gone.length ? gone.map((figure) => `${capital(nameOf(figure))}: ${figure.fate}`) : ["nobody"];
}

function sayCards(scene) {
  if (!scene.toCome.length) return ["none: this is the last round"];
  if (scene.toCome[0] === null) return [`${count(scene.toCome.length, "card")}, in an unknown order`];
  return scene.toCome.map(cardWords);
}

function cardWords(card) {
  return `king ${card.king}, knights ${card.knights}, crowd ${card.crowd}, ${card.fetters ? "fetters" : "no fetters"}`;
}

function sayFigure(figure) {
  const row = Math.floor(figure.square / SIZE),
    column = figure.square % SIZE;
  return [nameOf(figure), two(figure.square), String(row), String(column), figure.level];
}

function nameOf(figure) {
  if (figure.role === "king") return "king";
  return figure.secret ? `hidden assassin ${figure.number}` : `${figure.role} ${figure.number}`;
}

function lostCrowd(scene) {
  return scene.removed.map((number) => scene.figures[number]);
}

function lostKnights(scene) {
  return scene.figures.filter((figure) => figure.role === "knight" && figure.fate === "killed");
}

function two(square) {
  return String(square).padStart(2, "0");
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// -- the last move ------------------------------------------------------------------------------------------

/**
 * What the last move did, as figure, squares and words.
 *
 * A step tells only where it led to. Where it began is taken from the position before, if the caller gives it, or
 * worked out if only one square can be meant; otherwise it stays open. The words are made here and not taken from
 * the caller, whose text may name what this seat does not know.
 */
function lastMove(scene, last) {
  if (!last?.move) return null;
  const kind = Object.keys(last.move)[0];
  if (!(kind in DEEDS)) return null;
  const value = last.move[kind];
  return { kind, from: null, to: null, rings: [], words: "", effect: "", ...DEEDS[kind](scene, value, last) };
}

const DEEDS = {
  choose: (scene, value) => {
    const chosen = scene.seat === 0 ? [] : (value.citizens ?? []);
    const named = chosen.length ? `: ${chosen.join(", ")}` : " in secret";
    const rings = chosen.map((number) => scene.figures[number].square);
    return { rings, words: `Three assassins were chosen${named}` };
  },
  start: (scene) => ({
    rings: [scene.figures[0].square],
    words: `The king starts on ${two(scene.figures[0].square ?? 0)}`,
  }),
  step: (scene, value, last) => {
    const figure = scene.figures[value.figure ?? 0],
      to = value.square ?? 0;
    const shoved = shovedBy(scene, last.before, figure.number);
    const push = shoved.length ? `, shoving ${shoved.map((other) => other.number).join(", ")}` : "";
    const verb = figure.level === "roof" ? "went to roof" : "went to";
    return {
      from: originOf(scene, figure, to, last.before),
      to,
      words: `${capital(nameOf(figure))} ${verb} ${two(to)}${push}`,
      effect: priceWords(scene, last.before),
    };
  },
  kill: (scene, value) => {
    const killer = scene.figures[value.figure ?? 0],
      to = value.square ?? 0;
    const victim = killer.role === "knight" ? `assassin ${scene.removed.at(-1)}` : "a knight";
    const left = scene.figures.filter((figure) => figure.role === "knight" && figure.square !== null).length;
    return {
      from: killer.square,
      to,
      words: `${capital(nameOf(killer))} killed ${victim} on ${two(to)}`,
      effect: killer.role === "knight" ? "" : `${count(left, "knight")} left`,
    };
  },
  capture: (scene, value) => {
    const knight = scene.figures[value.figure ?? 0],
      to = value.square ?? 0;
    const victim = scene.figures[scene.removed.at(-1) ?? 1];
    return { from: knight.square, to, words: `Knight ${knight.number} captured ${nameOf(victim)} on ${two(to)}` };
  },
  attack: (scene, value) => {
    const hunter = scene.figures[value.figure ?? 0],
      to = value.square ?? 0;
    return {
      from: hunter.square,
      to,
      words: `Assassin ${hunter.number} struck the king`,
      effect: `wound ${scene.wounds} of ${WOUNDS_TO_DIE}`,
    };
  },
  reveal: (scene, number) => ({
    rings: [scene.figures[number].square],
    words: `Citizen ${number} is an assassin!`,
  }),
  enter: (scene, _value, last) => {
    const from = doorUsed(scene, last.before);
    return { from, words: from === null ? "" : `He went in by the door on ${two(from)}` };
  },
  end_turn: (scene, _value, last) => ({
    words: `The ${ROLES[last.seat].toLowerCase()} ended ${last.seat ? "their" : "his"} turn`,
    effect: scene.phase === "king" ? `card ${scene.round} is open` : "",
  }),
};

function priceWords(scene, before) {
  if (!before) return "";
  const spent = POOLS.reduce((sum, [key]) => sum + before.points[key].left - scene.points[key].left, 0);
  return spent ? `−${count(spent, "point")}` : "free";
}

function originOf(scene, figure, to, before) {
  if (before) return before.figures[figure.number].square;
  const steps = scene.log.filter((move) => move.step && (move.step.figure ?? 0) === figure.number);
  if (steps.length > 1) return steps.at(-2).step.square ?? 0;
  const taken = new Set(scene.figures.map((other) => other.square));
  const board = BOARDS[scene.board];
  const free = neighbours(to).filter((square) => !taken.has(square) && !(figure.number === 0 && isRoof(board, square)));
  return free.length === 1 ? free[0] : null;
}

function shovedBy(scene, before, mover) {
  if (!before || mover < FIRST_KNIGHT) return [];
  return scene.figures.filter(({ number, square }) => number !== mover && square !== before.figures[number].square);
}

function doorUsed(scene, before) {
  if (before) return before.figures[0].square;
  const step = scene.log.findLast((move) => move.step && !move.step.figure);
  if (step) return step.step.square ?? 0;
  const taken = new Set(scene.figures.map((figure) => figure.square));
  const free = BOARDS[scene.board].doors.map((door) => door.square).filter((square) => !taken.has(square));
  return free.length === 1 ? free[0] : null;
}

// -- the picture as a tree ----------------------------------------------------------------------------------

// Where everything is, per layout. `small` is the smallest text: 12 CSS pixels on a phone.
const LAYOUTS = {
  wide: {
    width: 1000,
    height: 640,
    board: { x: 40, y: 42, cell: 58 },
    small: 14,
    plain: 16,
    large: 18,
    plates: [
      { x: 640, y: 12, width: 348, height: 56 },
      { x: 640, y: 74, width: 348, height: 56 },
    ],
    card: { x: 640, y: 144, width: 116, height: 168, icon: 1.25, number: 30 },
    deck: { x: 932, y: 146, width: 56, height: 78, icon: 0.62, number: 14 },
    points: { x: 772, y: 160, step: 38, pip: 6, gap: 17, stacked: true },
    king: { x: 640, y: 324, width: 348, height: 42, heart: 1 },
    slots: { x: 640, y: 372, width: 348, height: 86, gap: 114, scale: 0.8, words: "long" },
    trays: [
      { x: 640, y: 464, width: 348 },
      { x: 640, y: 514, width: 348 },
    ],
    tray: { height: 44, scale: 0.76, token: 34 },
    last: { x: 640, y: 564, width: 348, height: 58, lines: 2 },
  },
  portrait: {
    width: 600,
    height: 884,
    board: { x: 32, y: 132, cell: 56 },
    small: 20,
    plain: 20,
    large: 22,
    plates: [
      { x: 6, y: 6, width: 290, height: 60 },
      { x: 304, y: 6, width: 290, height: 60 },
    ],
    card: { x: 6, y: 702, width: 88, height: 126, icon: 0.95, number: 24 },
    deck: { x: 102, y: 702, width: 56, height: 78, icon: 0.62, number: 20 },
    points: { x: 180, y: 712, step: 25, pip: 8, gap: 20, stacked: false },
    king: { x: 408, y: 702, width: 186, height: 36, heart: 0.8 },
    slots: { x: 408, y: 744, width: 186, height: 84, gap: 62, scale: 0.92, words: "short" },
    trays: [
      { x: 6, y: 834, width: 336 },
      { x: 350, y: 834, width: 244 },
    ],
    tray: { height: 46, scale: 0.87, token: 40 },
    last: { x: 6, y: 70, width: 588, height: 30, lines: 1 },
  },
};

/** A node of the picture; keys are unique among brothers and sisters. */
function node(tag, key, attributes, ...children) {
  return { tag, key, attributes, children: children.flat(Infinity).filter(Boolean) };
}

function classes(...names) {
  return names.filter(Boolean).join(" ");
}

function text(key, x, y, size, content, name = "", anchor = "start") {
  const look = { class: classes("text", name), "font-size": size, "text-anchor": anchor };
  return { ...node("text", key, { ...look, x: round(x), y: round(y) }), content: String(content) };
}

function hint(content) {
  return { ...node("title", "hint", {}), content };
}

function path(key, name, d, transform = "") {
  return node("path", key, transform ? { class: name, d, transform } : { class: name, d });
}

function box(key, name, x, y, width, height, radius = 0) {
  const place = { x: round(x), y: round(y), width: round(width), height: round(height) };
  return node("rect", key, { class: name, ...place, rx: radius });
}

function group(key, name, transform, ...children) {
  return node("g", key, transform ? { class: name, transform } : { class: name }, ...children);
}

function round(number) {
  return Math.round(number * 100) / 100;
}

function shift(x, y, scale = 1) {
  const moved = `translate(${round(x)} ${round(y)})`;
  return scale === 1 ? moved : `${moved} scale(${round(scale)})`;
}

/** The text, cut with an ellipsis where it would be wider than this; the widths of letters are estimates. */
function fit(content, size, width) {
  const letters = [...content];
  let used = 0;
  for (const [index, letter] of letters.entries()) {
    used += size * letterWidth(letter);
    if (used > width)
      return `${letters
        .slice(0, Math.max(1, index - 1))
        .join("")
        .trimEnd()}…`;
  }
  return content;
}

function letterWidth(letter) {
  if (letter.codePointAt(0) > 0x2e7f || "mwMW@%—…".includes(letter)) return 1.05;
  if ("iIjlt.,:;'|! ".includes(letter)) return 0.4;
  return letter === letter.toLowerCase() ? 0.68 : 0.8;
}

/** The text in at most this many lines; what does not fit is cut. */
function wrap(content, size, width, lines) {
  const done = [];
  let words = content.split(" ");
  while (words.length && done.length < lines - 1) {
    let taken = words.length;
    const line = () => words.slice(0, taken).join(" ");
    while (taken > 1 && fit(line(), size, width) !== line()) taken -= 1;
    done.push(fit(line(), size, width));
    words = words.slice(taken);
  }
  return words.length ? [...done, fit(words.join(" "), size, width)] : done;
}

function picture(scene, options) {
  const place = LAYOUTS[options.layout] ?? LAYOUTS.wide;
  const last = lastMove(scene, options.last);
  return group(
    "assassins",
    "assassins",
    "",
    town(scene, place),
    highlight(last, place),
    plates(scene, place, options.names ?? []),
    cardBlock(scene, place),
    pointsBlock(scene, place),
    kingBlock(scene, place),
    slotsBlock(scene, place),
    place.trays.map((tray, index) => trayBox(scene, place, tray, index)),
    lastBlock(scene, place, last),
    group(
      "figures",
      "figures",
      "",
      scene.figures
        .filter((figure) => spot(scene, figure, place))
        .map((figure) => figureNode(scene, figure, spot(scene, figure, place))),
    ),
    arrow(scene, last, place),
  );
}

// -- the town -----------------------------------------------------------------------------------------------

function corner(place, square) {
  const { x, y, cell } = place.board;
  return { x: x + cell * (square % SIZE), y: y + cell * Math.floor(square / SIZE), cell };
}

function centre(place, square) {
  const { x, y, cell } = corner(place, square);
  return { x: x + cell / 2, y: y + cell / 2 };
}

// The town is the same in all scenes of a board; only the king's starts go.
const towns = new Map();

function town(scene, place) {
  const key = `${scene.board} ${place.width} ${scene.starts.join()}`;
  if (!towns.has(key)) towns.set(key, buildTown(scene, place));
  return towns.get(key);
}

function buildTown(scene, place) {
  const board = BOARDS[scene.board];
  const squares = Array.from({ length: SIZE * SIZE }, (_, square) => square);
  const roofs = squares.filter((square) => isRoof(board, square));
  const streets = squares.filter((square) => !isRoof(board, square));
  const { x, y, cell } = place.board;
  return group(
    "town",
    "town",
    "",
    castleWall(place),
    squares.map((square) => squareNode(board, place, square)),
    path("cobbles", "cobbles", streets.map((square) => cobbles(corner(place, square))).join("")),
    path("tiles", "tiles", roofs.map((square) => tiles(corner(place, square))).join("")),
    path("shade", "shade", streets.map((square) => shade(board, place, square)).join("")),
    path("grid", "grid", grid(place)),
    path("walls", "walls", roofs.map((square) => walls(board, place, square)).join("")),
    box("frame", "frame", x, y, cell * SIZE, cell * SIZE),
    rowNumbers(place),
    board.doors.map((door) => doorNode(place, door)),
    columnNumbers(board, place),
    scene.starts.map((square, index) => startNode(place, square, index)),
  );
}

function squareNode(board, place, square) {
  const { x, y, cell } = corner(place, square);
  const door = board.doors.find((other) => other.square === square);
  const kind = isRoof(board, square) ? "roof" : "street";
  const title = `square ${two(square)}: ${door ? `street with a castle door to the ${door.towards}` : kind}`;
  return node("rect", `square-${square}`, { class: kind, x, y, width: cell, height: cell }, hint(title));
}

/** The castle's wall along row 0, with the numbers of the columns on its battlements. */
function castleWall(place) {
  const { x, y, cell } = place.board;
  const top = y - 28,
    low = y - 20;
  const teeth = Array.from({ length: SIZE }, (_, column) => {
    const left = x + column * cell + cell * 0.2,
      right = x + column * cell + cell * 0.8;
    return `L${round(left)} ${low}V${top}H${round(right)}V${low}`;
  });
  return group(
    "castle",
    "castle",
    "",
    hint("the castle: row 0 of the town lies at its wall; the numbers are those of the columns"),
    path("wall", "stone", `M${x} ${y}V${low}${teeth.join("")}L${x + SIZE * cell} ${low}V${y}Z`),
  );
}

function columnNumbers(board, place) {
  const { x, y, cell } = place.board;
  return Array.from({ length: SIZE }, (_, column) => {
    const gate = board.doors.some((door) => door.square === column && atWall(door));
    const name = gate ? "on-gate" : "on-stone";
    return text(`column-${column}`, x + (column + 0.5) * cell, y - 6, place.small, column, name, "middle");
  });
}

function rowNumbers(place) {
  const { x, y, cell } = place.board;
  return Array.from({ length: SIZE }, (_, row) =>
    text(`row-${row}`, x - 12, y + (row + 0.5) * cell + place.small * 0.36, place.small, row, "faint", "middle"),
  );
}

function cobbles({ x, y, cell }) {
  const spots = [
    [0.2, 0.28],
    [0.62, 0.2],
    [0.42, 0.56],
    [0.8, 0.62],
    [0.2, 0.84],
    [0.66, 0.88],
  ];
  return spots.map(([right, down]) => `M${round(x + cell * right - 4)} ${round(y + cell * down)}q4 -5 8 0`).join("");
}

function tiles({ x, y, cell }) {
  const wide = cell / 4;
  return [0.25, 0.5, 0.75, 1]
    .map((down, line) => {
      const [offset, count] = line % 2 ? [wide / 2, 3] : [0, 4];
      const arcs = `q${round(wide / 2)} ${round(cell * 0.13)} ${round(wide)} 0`.repeat(count);
      return `M${round(x + offset)} ${round(y + cell * down - cell * 0.12)}${arcs}`;
    })
    .join("");
}

/** The shadow that a roof to the north or west throws on a street. */
function shade(board, place, square) {
  const { x, y, cell } = corner(place, square);
  const north = square >= SIZE && isRoof(board, square - SIZE),
    west = square % SIZE && isRoof(board, square - 1);
  return (north ? `M${x} ${y}h${cell}v8h${-cell}z` : "") + (west ? `M${x} ${y}h6v${cell}h-6z` : "");
}

function grid(place) {
  const { x, y, cell } = place.board,
    length = cell * SIZE;
  return Array.from(
    { length: SIZE - 1 },
    (_, line) => `M${x} ${y + (line + 1) * cell}h${length}M${x + (line + 1) * cell} ${y}v${length}`,
  ).join("");
}

/** The edges of a roof towards streets. */
function walls(board, place, square) {
  const { x, y, cell } = corner(place, square);
  const street = (other) => !isRoof(board, other);
  const row = Math.floor(square / SIZE),
    column = square % SIZE;
  return (
    (row > 0 && street(square - SIZE) ? `M${x} ${y}h${cell}` : "") +
    (row < SIZE - 1 && street(square + SIZE) ? `M${x} ${y + cell}h${cell}` : "") +
    (column > 0 && street(square - 1) ? `M${x} ${y}v${cell}` : "") +
    (column < SIZE - 1 && street(square + 1) ? `M${x + cell} ${y}v${cell}` : "")
  );
}

function doorNode(place, door) {
  const { x, y } = centre(place, door.square),
    half = place.board.cell / 2,
    rise = atWall(door) ? 20 : 12;
  return group(
    `door-${door.square}`,
    "door",
    shift(x, y),
    hint(`castle door on square ${two(door.square)}, to the ${door.towards}: the king leaves through it and wins`),
    box("mat", "mat", 5 - half, 5 - half, 2 * half - 10, 2 * half - 10, 6),
    path("tower", "tower", ICONS.castle),
    group(
      "gate",
      "gate",
      `rotate(${TURNS[door.towards]})`,
      path("arch", "arch", `M-20 ${4 - half}v${-rise}a20 9 0 0 1 40 0v${rise}z`),
      atWall(door) ? null : path("leaves", "leaves", `M0 ${4 - half}v-18M-10 ${4 - half}v-16M10 ${4 - half}v-16`),
    ),
  );
}

/** A door in the castle's wall itself; it carries the number of its column instead of leaves. */
function atWall(door) {
  return door.square < SIZE && door.towards === "north";
}

function startNode(place, square, index) {
  const { x, y } = centre(place, square);
  return group(
    `start-${square}`,
    "start",
    shift(x, y),
    hint(`start ${index + 1}: the king may start on square ${two(square)}`),
    node("circle", "ring", { class: "start-ring", cx: 0, cy: 0, r: 23 }),
    path("crown", "start-crown", ICONS.crown, "scale(1.2)"),
  );
}

// -- icons and figures --------------------------------------------------------------------------------------

// All are drawn around 0, about 24 wide.
const ICONS = {
  crown: "M-11 8L-12 -6L-6 0L0 -10L6 0L12 -6L11 8Z",
  shield: "M0 -12C4 -9 8 -9 11 -9V1C11 7 6 11 0 13C-6 11 -11 7 -11 1V-9C-8 -9 -4 -9 0 -12Z",
  crowd:
    "M-6 -10a4.5 4.5 0 1 1 -.01 0ZM6 -10a4.5 4.5 0 1 1 -.01 0Z" +
    "M-13 11C-13 3 -10 1 -6 1C-2 1 0 3 0 6C0 3 2 1 6 1C10 1 13 3 13 11Z",
  fetters: "M-7 -6a6 6 0 1 0 .01 0ZM7 -6a6 6 0 1 0 .01 0ZM-1 0H1M-7 -6V-11M7 -6V-11",
  dagger: "M0 13L-3.5 3V-3H-8V-6H-2V-11H2V-6H8V-3H3.5V3Z",
  heart: "M0 10C-14 0 -11 -10 -5 -10C-2 -10 0 -8 0 -5C0 -8 2 -10 5 -10C11 -10 14 0 0 10Z",
  crack: "M1 -6L-3 -1L3 2L-1 8",
  castle: "M-12 13V-11H-7V-7H-3V-11H3V-7H7V-11H12V13H4V6A4 4 0 0 0 -4 6V13Z",
  cross: "M-9 -9L9 9M9 -9L-9 9",
  tick: "M-7 0L-2 5L7 -6",
};
const SHIELD = "M0 -24C6 -19 14 -18 21 -19V1C21 13 11 20 0 24C-11 20 -21 13 -21 1V-19C-14 -18 -6 -19 0 -24Z";
const BUST = "M-22 23V13C-22 3 -13 -3 0 -3C13 -3 22 3 22 13V23Z";
const HOOD = "M0 -27C13 -27 16 -12 16 -5C21 -2 24 6 24 14V24H-24V14C-24 6 -21 -2 -16 -5C-16 -12 -13 -27 0 -27Z";
const MASK = "M-11 -13A11 11 0 0 1 11 -13A11 11 0 0 1 -11 -13ZM-8 -16V-11H8V-16Z";

/** Where a figure is drawn, and how large; null if nowhere. */
function spot(scene, figure, place) {
  const size = place.board.cell / 56;
  if (figure.square !== null) return { ...centre(place, figure.square), scale: size };
  if (figure.fate === "waiting") return null;
  if (figure.role === "king") return kingsEnd(place);
  const tray = figure.role === "knight" ? 1 : 0;
  const lost = tray ? lostKnights(scene) : lostCrowd(scene);
  return traySpot(
    place,
    tray,
    lost.findIndex((other) => other.number === figure.number),
    lost.length,
  );
}

/** The king's last place, in the castle or dead: beside his hearts. */
function kingsEnd({ king }) {
  return { x: king.x + king.width - 22, y: king.y + king.height / 2, scale: (king.height - 4) / 56 };
}

function traySpot(place, index, position, total) {
  const box = place.trays[index],
    { scale, token, height } = place.tray;
  const first = box.x + 62;
  const room = box.x + box.width - 22 - first;
  const gap = total > 1 ? Math.min(token + 2, room / (total - 1)) : 0;
  return { x: first + gap * position, y: box.y + height / 2, scale };
}

function figureNode(scene, figure, { x, y, scale }) {
  const name = classes("figure", figure.role, figure.secret && "secret", figure.fate);
  return group(
    `figure-${figure.number}`,
    name,
    shift(x, y, scale),
    hint(figureTitle(scene, figure)),
    SHAPES[figure.role](scene, figure),
  );
}

function figureTitle(scene, figure) {
  const where = figure.square === null ? figure.fate : `on ${figure.level} ${two(figure.square)}`;
  const wounds = figure.role === "king" ? `, ${count(scene.wounds, "wound")}` : "";
  return `${nameOf(figure)}, ${where}${wounds}`;
}

const SHAPES = {
  king: (scene) => [
    node("circle", "halo", { class: "halo", cx: 0, cy: 0, r: 24 }),
    node("circle", "body", { class: "body", cx: 0, cy: 0, r: 23 }),
    path("crown", "mark", ICONS.crown, "translate(0 1) scale(1.25)"),
    scene.wounds
      ? group(
          "wound",
          "wound",
          "translate(15 15)",
          badge(10),
          path("heart", "badge-mark", ICONS.heart, "translate(0 1) scale(.6)"),
        )
      : null,
  ],
  knight: (_scene, figure) => [
    path("halo", "halo", SHIELD),
    path("body", "body", SHIELD),
    text("number", 0, 8, 23, figure.number, "number", "middle"),
  ],
  citizen: (_scene, figure) => [
    node("circle", "head-halo", { class: "halo", cx: 0, cy: -13, r: 11 }),
    path("halo", "halo", BUST),
    node("circle", "head", { class: "head", cx: 0, cy: -13, r: 11 }),
    figure.secret ? path("mask", "mask", MASK) : null,
    path("body", "body", BUST),
    text("number", 0, 18, 23, figure.number, "number", "middle"),
    figure.secret ? dagger() : null,
  ],
  assassin: (_scene, figure) => [
    path("halo", "halo", HOOD),
    path("body", "body", HOOD),
    path("face", "face", "M-8 -7C-8 -21 8 -21 8 -7Z"),
    path("eyes", "eyes", "M-5 -11h3M2 -11h3"),
    text("number", 0, 18, 23, figure.number, "number", "middle"),
    dagger(),
  ],
};

function badge(radius) {
  return node("circle", "back", { class: "badge", cx: 0, cy: 0, r: radius });
}

function dagger() {
  return group(
    "dagger",
    "dagger",
    "translate(17 -15)",
    badge(10),
    path("blade", "badge-mark", ICONS.dagger, "rotate(35) scale(.62)"),
  );
}

// -- the last move on the board -----------------------------------------------------------------------------

/** Outlines under the figures: dashed where the move began, solid where it led to, each in two tones. */
function highlight(last, place) {
  if (!last) return group("last-squares", "last", "");
  const solid = last.to === null ? last.rings : [last.to];
  return group(
    "last-squares",
    "last",
    "",
    last.from === null ? null : outline("from", place, last.from, "dashed"),
    solid.filter((square) => square !== null).map((square) => outline(`to-${square}`, place, square, "solid")),
  );
}

function outline(key, place, square, name) {
  const { x, y, cell } = corner(place, square);
  return group(
    key,
    name,
    "",
    ["under", "over"].map((tone) => box(tone, tone, x + 3, y + 3, cell - 6, cell - 6, 5)),
  );
}

/** Above the figures: an arrow, and on the victim's square what happened to him. */
function arrow(scene, last, place) {
  const from = last?.from ?? null,
    to = last ? goalOf(scene, last, place) : null;
  if (from === null || to === null) return group("last-arrow", "last", "");
  const begin = centre(place, from),
    strike = !["step", "enter"].includes(last.kind);
  const between = (first, second, share) => round(first + (second - first) * share);
  const at = (share) => ({ x: between(begin.x, to.x, share), y: between(begin.y, to.y, share) });
  const [tail, neck, tip] = (strike ? [0.4, 0.58, 0.66] : [0.05, 0.5, 0.6]).map(at);
  const angle = (Math.atan2(to.y - begin.y, to.x - begin.x) * 180) / Math.PI;
  return group(
    "last-arrow",
    "last",
    "",
    ["under", "over"].map((tone) =>
      group(
        tone,
        `arrow ${tone}`,
        "",
        path("line", "line", `M${tail.x} ${tail.y}L${neck.x} ${neck.y}`),
        path("tip", "tip", "M0 0L-9 -7V7Z", `translate(${tip.x} ${tip.y}) rotate(${angle})`),
      ),
    ),
    strike ? mark(last.kind === "attack" && scene.ending ? "kill" : last.kind, to) : null,
  );
}

/** The point that the last move led to: the middle of a square, or beyond the door that the king went through. */
function goalOf(scene, last, place) {
  if (last.to !== null) return centre(place, last.to);
  const door = BOARDS[scene.board].doors.find((other) => other.square === last.from);
  if (last.kind !== "enter" || !door) return null;
  const turn = (TURNS[door.towards] * Math.PI) / 180,
    { x, y } = centre(place, door.square);
  return { x: x + Math.sin(turn) * place.board.cell, y: y - Math.cos(turn) * place.board.cell };
}

function mark(kind, { x, y }) {
  if (kind === "attack") {
    return group(
      "mark",
      "mark-attack",
      shift(x - 17, y - 17),
      badge(11),
      path("dagger", "badge-mark", ICONS.dagger, "rotate(-35) scale(.7)"),
    );
  }
  const icon = kind === "kill" ? ICONS.cross : ICONS.fetters;
  return group(
    "mark",
    `mark-${kind}`,
    shift(x, y, 1.2),
    ["under", "over"].map((tone) => path(tone, `stroke ${tone}`, icon)),
  );
}

// -- the panels ---------------------------------------------------------------------------------------------

function plates(scene, place, names) {
  return group(
    "plates",
    "plates",
    "",
    [0, 1].map((seat) => plate(scene, place, seat, names[seat] || `seat ${seat}`)),
  );
}

function plate(scene, place, seat, name) {
  const { x, y, width, height } = place.plates[seat],
    middle = y + height / 2;
  const active = scene.toMove === seat,
    narrow = width < 300,
    left = x + (narrow ? 46 : 58);
  const status = active ? "to move" : scene.winner === null ? "" : scene.winner === seat ? "won" : "lost";
  const about = `${name}, seat ${seat}, plays the ${ROLES[seat].toLowerCase()}${status ? `: ${status}` : ""}`;
  return group(
    `plate-${seat}`,
    classes("plate", active && "active", scene.winner === seat && "winner"),
    "",
    hint(`${about}; score ${scene.scores[seat]}`),
    box("back", "panel", x, y, width, height, 8),
    active ? path("pointer", "pointer", `M${x} ${middle - 11}l12 11l-12 11z`) : null,
    path("icon", `icon-${seat}`, seat ? ICONS.dagger : ICONS.crown, shift(left - 20, middle, narrow ? 1 : 1.2)),
    text("name", left, y + height * 0.42, place.large, fit(name, place.large, x + width - 46 - left), "strong"),
    text("role", left, y + height * 0.85, place.small, narrow ? ROLES[seat] : `${ROLES[seat]}, seat ${seat}`, "faint"),
    status ? pill(status, x + width - 34, y + height - 5, place.small) : null,
    text("score", x + width - 17, middle + place.large * 0.4, place.large + 6, scene.scores[seat], "strong", "middle"),
  );
}

/** A word in a frame, whose lower right corner is given. */
function pill(word, right, bottom, size) {
  const width = size * word.length * 0.6 + 14,
    name = word.replace(" ", "-");
  return group(
    "pill",
    "status",
    "",
    box("frame", `pill ${name}`, right - width, bottom - size - 7, width, size + 7, 6),
    text("word", right - width / 2, bottom - 5, size, word, `pill-text ${name}`, "middle"),
  );
}

function cardBlock(scene, place) {
  return group("cards", "cards", "", deckNode(scene, place), cardNode("card", scene.card, place.card, "the open card"));
}

function cardNode(key, card, where, about) {
  const { x, y, width, height, icon, number } = where;
  if (!card) return cardPlace(key, where, "no card is open yet");
  const rows = [
    ["crown", card.king, "king"],
    ["shield", card.knights, "knight"],
    ["crowd", card.crowd, "citizen"],
  ];
  const step = height / 4,
    left = width * 0.34,
    right = width * 0.7;
  return group(
    key,
    "card",
    shift(x, y),
    hint(`${about}: ${cardWords(card)}`),
    box("paper", "paper", 0, 0, width, height, 8),
    rows.map(([name, points, role], index) => [
      path(name, `card-icon ${role}`, ICONS[name], shift(left, step * (index + 0.55), icon)),
      text(`${name}-points`, right, step * (index + 0.55) + number * 0.36, number, points, "ink strong", "middle"),
    ]),
    path("line", "card-line", `M${round(width * 0.12)} ${round(step * 3.05)}H${round(width * 0.88)}`),
    group(
      "fetters",
      classes("card-fetters", !card.fetters && "without"),
      shift(width / 2, step * 3.55, icon),
      path("rings", "rings", ICONS.fetters),
      card.fetters ? null : path("no", "card-no", ICONS.cross),
    ),
  );
}

/** Where a card would lie. */
function cardPlace(key, { x, y, width, height }, about) {
  return group(key, "card empty", shift(x, y), hint(about), box("paper", "card-place", 0, 0, width, height, 8));
}

/** The cards to come: the next one's face where it is known, else the common back, and how many there are. */
function deckNode(scene, place) {
  const { x, y, width, height } = place.deck,
    left = scene.toCome.length;
  const next = scene.toCome[0] ?? null;
  const about = `${count(left, "card")} to come`;
  return group(
    "deck",
    "deck",
    "",
    left > 1 ? box("under", "paper", x + 4, y + 4, width, height, 6) : null,
    !left
      ? cardPlace("next", place.deck, "no card is left")
      : next
        ? cardNode("next", next, { ...place.deck, number: Math.max(16, place.deck.number) }, `${about}, the next`)
        : cardBack(x, y, width, height, about),
    deckWords(left, next, place).map((words, index) =>
      text(
        `words-${index}`,
        x + width / 2,
        y + height + place.small * (1.2 + index) + 2,
        place.small,
        words,
        index ? "faint" : "",
        "middle",
      ),
    ),
  );
}

function deckWords(left, next, place) {
  if (!left) return ["last"];
  if (!place.points.stacked) return [left, "left"];
  return next ? ["next", `of ${left} left`] : [`${left} left`];
}

function cardBack(x, y, width, height, about) {
  return group(
    "next",
    "card back",
    shift(x, y),
    hint(`${about}, face down`),
    box("paper", "card-back", 0, 0, width, height, 6),
    box("border", "card-back-border", 5, 5, width - 10, height - 10, 4),
    path("castle", "card-back-mark", ICONS.castle, shift(width / 2, height / 2, 1.1)),
  );
}

const POOLS = [
  ["king", "crown", "King"],
  ["knights", "shield", "Knights"],
  ["crowd", "crowd", "Crowd"],
];
const CAPTURES = { none: "no capture", open: "may capture", used: "captured", missed: "not captured" };

function pointsBlock(scene, place) {
  const { x, y, step, stacked } = place.points;
  const first = y + (stacked ? 34 : 28);
  return group(
    "points",
    "points",
    "",
    text("round", x - (stacked ? 0 : 6), y + 6, place.large, scene.round ? roundWords(scene) : "Setting up", "strong"),
    POOLS.map((pool, index) => poolRow(scene, place, pool, first + step * index)),
    capturesRow(scene, place, first + step * POOLS.length),
  );
}

function poolRow(scene, place, [key, icon, title], y) {
  const { x, pip, gap, stacked } = place.points,
    { left, of } = scene.points[key];
  const pips = Array.from({ length: of }, (_, index) => {
    const name = index < left ? "pip left" : "pip spent";
    return node("circle", `pip-${index}`, { class: name, cx: x + 32 + gap * index, cy: stacked ? y + 8 : y, r: pip });
  });
  return group(
    `pool-${key}`,
    "pool",
    "",
    hint(`${title}: ${left} of ${of} action points left in this round`),
    box("area", "area", x - 12, y - 14, 170, 26),
    path("icon", `pool-icon ${key}`, ICONS[icon], shift(x + 8, y, stacked ? 0.95 : 0.85)),
    stacked ? text("count", x + 27, y - 3, place.small, of ? `${title} ${left} of ${of}` : title) : null,
    pips,
    !stacked && of ? text("count", x + 36 + gap * 7, y + 7, place.small, `${left}/${of}`) : null,
  );
}

function capturesRow(scene, place, y) {
  const { x, stacked } = place.points,
    base = y + place.small * 0.36;
  return group(
    "captures",
    "captures",
    "",
    hint(`Capture: ${FETTERS[scene.fetters]}`),
    path("icon", "pool-fetters", ICONS.fetters, shift(x + 8, y, 0.85)),
    text("words", x + 27, base, place.small, CAPTURES[scene.fetters], scene.fetters === "open" ? "" : "faint"),
    scene.fetters === "none" ? path("no", "pool-no", ICONS.cross, shift(x + 8, y, 0.8)) : null,
    stacked && scene.kills ? text("kills", x + 130, base, place.small, count(scene.kills, "kill")) : null,
  );
}

function kingBlock(scene, place) {
  const { x, y, width, height, heart } = place.king,
    middle = y + height / 2;
  const king = scene.figures[0];
  const hearts = Array.from({ length: WOUNDS_TO_DIE }, (_, index) => {
    const lost = index >= WOUNDS_TO_DIE - scene.wounds;
    return group(
      `heart-${index}`,
      lost ? "heart lost" : "heart",
      shift(x + 20 + 26 * index, middle, heart),
      path("shape", "shape", ICONS.heart),
      lost ? path("crack", "crack", ICONS.crack) : null,
    );
  });
  return group(
    "king",
    "king-state",
    "",
    hint(`the king: ${sayKing(scene).join("; ")}`),
    box("back", "panel", x, y, width, height, 8),
    hearts,
    text("words", x + 66, middle + place.small * 0.36, place.small, kingWords(scene, king, place)),
    king.fate ? null : path("castle", "goal", ICONS.castle, shift(x + width - 16, middle, 0.7)),
  );
}

function kingWords(scene, king, place) {
  const short = place.slots.words === "short";
  if (king.fate === "waiting") return short ? "not placed" : "The king is not in the town yet";
  if (king.fate) return `${short ? "" : "The king "}is ${king.fate === "entered" ? "home" : "dead"}`;
  const steps = count(scene.stepsHome, "step");
  return short ? steps : `King: ${steps} to the castle`;
}

const STATUS = { unchosen: "not yet", unknown: "unknown" };

/** The three assassins as they look on the board, with a sign for what became of them. */
function slotsBlock(scene, place) {
  const { x, y, width, height, gap, scale, words } = place.slots,
    long = words === "long";
  return group(
    "assassins-known",
    "slots",
    "",
    box("back", "panel", x, y, width, height, 8),
    text("title", x + 12, y + 5 + place.small, place.small, long ? "The three assassins" : "Assassins", "faint"),
    scene.assassins.map((assassin, index) => {
      const middle = x + (long ? 30 + gap * index : gap * (index + 0.5)),
        down = y + height - 30;
      return group(
        `slot-${index}`,
        `slot ${assassin.status}`,
        "",
        hint(`assassin: ${sayAssassin(assassin)}`),
        slotToken(assassin, middle, down, scale),
        long ? text("status", middle + 25, down + 6, place.small, STATUS[assassin.status] ?? assassin.status) : null,
      );
    }),
  );
}

function slotToken({ number, status }, x, y, scale) {
  if (number === null) {
    return group(
      "token",
      "figure slot-token",
      shift(x, y, scale),
      path("body", "blank", HOOD),
      status === "unchosen" ? null : text("number", 0, 11, 28, "?", "blank-text", "middle"),
    );
  }
  const secret = status === "hidden" || status === "captured";
  const shape = secret ? SHAPES.citizen : SHAPES.assassin;
  return group(
    "token",
    `figure slot-token ${secret ? "citizen secret" : "assassin"}`,
    shift(x, y, scale),
    shape(null, { number, secret }),
    status === "killed" || status === "captured" ? fateBadge(status) : null,
  );
}

function fateBadge(status) {
  return group(
    "fate",
    "fate",
    "translate(-17 -15)",
    badge(11),
    path("sign", "badge-line", status === "killed" ? ICONS.cross : ICONS.fetters, "scale(.6)"),
  );
}

function trayBox(scene, place, tray, index) {
  const lost = index ? lostKnights(scene).length : lostCrowd(scene).length;
  const middle = tray.y + place.tray.height / 2;
  const about = index ? `${count(lost, "knight")} killed` : `${lost} of the crowd captured or killed`;
  return group(
    `tray-${index}`,
    "tray",
    "",
    hint(about),
    box("back", "panel", tray.x, tray.y, tray.width, place.tray.height, 8),
    path(
      "icon",
      index ? "pool-icon knights" : "pool-icon crowd",
      index ? ICONS.shield : ICONS.crowd,
      shift(tray.x + 22, middle),
    ),
    lost ? null : text("none", tray.x + 46, middle + place.small * 0.36, place.small, "nobody lost", "faint"),
  );
}

/** The last move and what it changed, or how the game ended. */
function lastBlock(scene, place, last) {
  const { x, y, width, height, lines } = place.last,
    size = place.plain;
  const parts = lastParts(scene, last).filter(Boolean);
  const shown =
    lines === 1
      ? [inOneLine(parts, size, width - 24)]
      : parts.length > 1
        ? parts.map((part) => fit(part, size, width - 24))
        : wrap(parts.join(), size, width - 24, lines);
  const first = y + height / 2 + size * 0.36 - ((shown.length - 1) * (size + 8)) / 2;
  return group(
    "last-words",
    scene.ending ? "last-words over" : "last-words",
    "",
    hint(parts.join(" · ")),
    box("back", "panel", x, y, width, height, 8),
    shown.map((line, index) =>
      text(`line-${index}`, x + 12, first + index * (size + 8), size, line, index ? "" : "strong"),
    ),
  );
}

function lastParts(scene, last) {
  if (scene.ending) return [ENDINGS[scene.ending].words, last?.words];
  return last ? [last.words, last.effect] : [startWords(scene)];
}

function inOneLine(parts, size, width) {
  const sentence = parts.join(" · ");
  return fit(sentence, size, width) === sentence ? sentence : fit(parts[0], size, width);
}

function startWords(scene) {
  if (scene.toMove === null) return "";
  return capital(task(scene)).replace(/ \(seat \d\)/, "");
}

// -- from the tree into the page ----------------------------------------------------------------------------

/** Draw the scene; the SVG depends on scene and options alone, `previous` only on how it gets there. */
function draw(svg, scene, previous, options = {}) {
  const place = LAYOUTS[options.layout] ?? LAYOUTS.wide;
  svg.getAnimations?.({ subtree: true }).forEach((animation) => animation.cancel());
  svg.classList.add("game-assassins");
  svg.setAttribute("viewBox", `0 0 ${place.width} ${place.height}`);
  let root = svg.querySelector(":scope > g[data-key=assassins]");
  if (!root) root = svg.appendChild(element("g", "assassins"));
  patch(root, picture(scene, options));
  if (previous && options.duration > 0) animate(root, scene, previous, place, options);
}

const SVG = "http://www.w3.org/2000/svg";

function element(tag, key) {
  const created = document.createElementNS(SVG, tag);
  created.setAttribute("data-key", key);
  return created;
}

// What every element was drawn from: most of a picture stays as it is, and need not be compared with the page.
const drawn = new WeakMap();

/** Make the element what the node says; children with the same key and tag stay the same elements. */
function patch(target, wanted) {
  if (same(drawn.get(target), wanted)) return;
  drawn.set(target, wanted);
  setAttributes(target, { "data-key": wanted.key, ...wanted.attributes });
  if (wanted.content !== undefined) {
    if (target.textContent !== wanted.content) target.textContent = wanted.content;
    return;
  }
  const nameOfChild = (child) => `${child.tagName} ${child.getAttribute("data-key")}`;
  const present = new Map([...target.children].map((child) => [nameOfChild(child), child]));
  wanted.children.forEach((child, index) => {
    const name = `${child.tag} ${child.key}`;
    const found = present.get(name) ?? element(child.tag, child.key);
    present.delete(name);
    if (target.children[index] !== found) target.insertBefore(found, target.children[index] ?? null);
    patch(found, child);
  });
  for (const left of present.values()) left.remove();
}

function same(first, second) {
  if (first === second) return true;
  if (!first || first.tag !== second.tag || first.key !== second.key || first.content !== second.content) return false;
  const names = Object.keys(second.attributes);
  return (
    first.children.length === second.children.length &&
    Object.keys(first.attributes).join() === names.join() &&
    names.every((name) => first.attributes[name] === second.attributes[name]) &&
    first.children.every((child, index) => same(child, second.children[index]))
  );
}

/** Attributes always stand in the same order, so that the same picture is also the same text. */
function setAttributes(target, wanted) {
  const names = Object.keys(wanted);
  const present = target.getAttributeNames();
  if (present.join() !== names.join()) present.forEach((name) => target.removeAttribute(name));
  for (const name of names) {
    if (target.getAttribute(name) !== String(wanted[name])) target.setAttribute(name, wanted[name]);
  }
}

// -- movement -----------------------------------------------------------------------------------------------

function animate(root, scene, previous, place, options) {
  const timing = { duration: options.duration, easing: "ease-in-out" };
  const shown = (number) => root.querySelector(`:scope > g[data-key=figures] > g[data-key=figure-${number}]`);
  for (const figure of scene.figures) {
    const former = previous.figures[figure.number];
    const now = spot(scene, figure, place),
      before = spot(previous, former, place);
    if (!now) continue;
    if (!before) shown(figure.number).animate([{ opacity: 0 }, { opacity: 1 }], timing);
    else if (pose(now) !== pose(before)) walk(shown(figure.number), [before, now], timing);
    else if (figure.role !== former.role) swell(shown(figure.number), now, timing);
  }
  const last = lastMove(scene, options.last);
  if (last && last.kind !== "step" && last.from !== null && last.to !== null) lunge(shown, scene, place, last, timing);
  if (scene.round !== previous.round && scene.card) {
    root.querySelector("g[data-key=card]").animate([{ opacity: 0 }, { opacity: 1 }], timing);
  }
}

function pose({ x, y, scale }) {
  return `translate(${round(x)}px, ${round(y)}px) scale(${round(scale)})`;
}

function walk(shown, places, timing) {
  shown.animate(
    places.map((place) => ({ transform: pose(place) })),
    timing,
  );
}

function swell(shown, place, timing) {
  walk(shown, [place, { ...place, scale: 1.3 * place.scale }, place], timing);
}

/** The striker leaps towards his victim and back. */
function lunge(shown, scene, place, last, timing) {
  const striker = scene.figures.find((figure) => figure.square === last.from);
  if (!striker) return;
  const home = spot(scene, striker, place),
    goal = centre(place, last.to);
  const near = { ...home, x: home.x + (goal.x - home.x) * 0.4, y: home.y + (goal.y - home.y) * 0.4 };
  walk(shown(striker.number), [home, near, home], timing);
}

export { scene, draw, say };
