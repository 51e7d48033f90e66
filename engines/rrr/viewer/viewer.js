// The replay viewer of RRR: a position as a plain object, as a drawing and in words.
// `scene` reads a State or an Observation, `draw` draws what it returns, `say` words it.

// -- the tiles -----------------------------------------------------------------------------------------------

const SIDES = ["Regality", "Religion"];
const TEXTS = {
  KING: "instant: destroy 1 tile around it",
  QUEEN: "instant: choose 1 of 8 directions and rotate every tile on that line",
  PRINCESS: "instant: rotate all its orthogonal neighbours, or all its diagonal ones",
  MINISTER: "instant: rotate 1 tile around it",
  GENERAL: "instant: destroy 1 orthogonal neighbour",
  SORCERER: "instant: destroy 1 diagonal neighbour",
  CASTLE: "permanent: it has a shield",
  CITIZEN: "no power; opens the round",
  ASSASSIN: "instant: banish 1 tile from the opponent's area",
  PIRATE: "instant: destroy 1 tile around it that has a shield",
  FAIRY: "instant: move another tile of the board to a free space",
  REAPER: "permanent: whoever has it as an ally at the end of the round loses the round",
  SEER: "instant: rotate the three tiles in front of it",
  DRAGON: "instant: rotate all tiles around it",
  SHAMAN: "permanent: instant powers of its orthogonal neighbours are cancelled",
  WITCH: "permanent: instant powers of its diagonal neighbours are cancelled",
  SAMURAI: "instant: banish 1 orthogonal neighbour",
  NINJA: "instant: banish 1 diagonal neighbour",
  BARD: "instant: wake 1 orthogonal neighbour, whose instant power is used again",
  ARTIST: "instant: wake 1 diagonal neighbour, whose instant power is used again",
  SAGE: "permanent: the tiles directly to its left and right have a shield",
  TOWER: "permanent: placed on top of an ally; the stack has a shield",
  ADVENTURER: "instant: take 1 tile of the neutral zone",
  HERMIT: "instant: take 1 tile of the discard",
  MAGICIAN: "instant: take 1 ally without a shield back from the board",
};
const TWINS = {
  HIEROPHANT: "KING", CARDINAL: "QUEEN", SAINT: "PRINCESS", BISHOP: "MINISTER",
  PALADIN: "GENERAL", MONK: "SORCERER", TEMPLE: "CASTLE",
};
const REGALITY = Object.keys(TEXTS).slice(0, 7);
const ORDER = [...REGALITY, ...Object.keys(TWINS), ...Object.keys(TEXTS).slice(7)];
const HOMES = [REGALITY, Object.keys(TWINS)];
const NEUTRALS = 17;

// What a power does, where, and whether to one of these spaces or to all; spaces as seat 0's tile sees them.
const ORTHOGONAL = [1, 3, 5, 7];
const DIAGONAL = [0, 2, 6, 8];
const AROUND = [0, 1, 2, 3, 5, 6, 7, 8];
const POWERS = {
  KING: ["destroy", AROUND, "one"],
  QUEEN: ["rotate", AROUND, "line"],
  PRINCESS: ["rotate", ORTHOGONAL, "either"],
  MINISTER: ["rotate", AROUND, "one"],
  GENERAL: ["destroy", ORTHOGONAL, "one"],
  SORCERER: ["destroy", DIAGONAL, "one"],
  CASTLE: ["shield", [4], "all"],
  ASSASSIN: ["banish", [], "tile"],
  PIRATE: ["destroy", AROUND, "shielded"],
  FAIRY: ["move", [], "tile"],
  REAPER: ["lose", [], "tile"],
  SEER: ["rotate", [0, 1, 2], "all"],
  DRAGON: ["rotate", AROUND, "all"],
  SHAMAN: ["cancel", ORTHOGONAL, "all"],
  WITCH: ["cancel", DIAGONAL, "all"],
  SAMURAI: ["banish", ORTHOGONAL, "one"],
  NINJA: ["banish", DIAGONAL, "one"],
  BARD: ["wake", ORTHOGONAL, "one"],
  ARTIST: ["wake", DIAGONAL, "one"],
  SAGE: ["shield", [3, 5], "all"],
  TOWER: ["shield", [4], "all"],
  ADVENTURER: ["take", [], "tile"],
  HERMIT: ["take", [], "tile"],
  MAGICIAN: ["take", [], "tile"],
};
const TAKERS = ["ADVENTURER", "HERMIT", "MAGICIAN"];

const twin = (tile) => TWINS[tile] ?? tile;
const titled = (tile) => tile[0] + tile.slice(1).toLowerCase();
const powerOf = (tile) => POWERS[twin(tile)] ?? null;
const byOrder = (one, other) => ORDER.indexOf(one) - ORDER.indexOf(other);
const steps = (from, to) => [Math.floor(to / 3) - Math.floor(from / 3), (to % 3) - (from % 3)];
const isAround = (from, to) => from !== to && Math.max(...steps(from, to).map(Math.abs)) === 1;
const isOrthogonal = (from, to) => isAround(from, to) && steps(from, to).includes(0);
const isDiagonal = (from, to) => isAround(from, to) && !steps(from, to).includes(0);
const SPACES = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const SPACE_NAMES = [
  "top left", "top middle", "top right", "middle left", "centre", "middle right",
  "bottom left", "bottom middle", "bottom right",
];

// -- the scene: what lies where, the same for a State and for an Observation ------------------------------------

const PER_ROUND = { NEUTRAL_ZONE: 5, FIRST_GAME: 0, RANDOM: 4, SECRET_RANDOM: 4, DRAFT: 5, SECRET_DRAFT: 8 };
const SETUP_NAMES = {
  NEUTRAL_ZONE: "neutral zone", FIRST_GAME: "first game", RANDOM: "random tiles",
  SECRET_RANDOM: "secret random tiles", DRAFT: "draft", SECRET_DRAFT: "secret draft",
};
const MOST_PLACEMENTS = 60;

function plainName(value, prefix, fallback) {
  const name = (value ?? "").replace(prefix, "");
  return name === "" || name === "UNSPECIFIED" ? fallback : name;
}

const tileName = (value) => plainName(value, "RRR_TILE_", null);
const row = (values) => (values ?? []).map(tileName);

function tablesOf(message, seat) {
  if (seat === null) {
    const seats = [0, 1].map((number) => message.seats?.[number] ?? {});
    return {
      areas: seats.map((owner) => row(owner.area)),
      hidden: seats.map((owner) => row(owner.hidden)),
      offer: row(message.offer),
      drawn: row(message.draws).slice(0, message.drawn ?? 0),
    };
  }
  const unknown = (count) => Array(count ?? 0).fill(null);
  const mine = [row(message.area), row(message.hidden)];
  const theirs = [row(message.opponent_area), unknown(message.opponent_hidden_count)];
  const both = seat === 0 ? [mine, theirs] : [theirs, mine];
  return {
    areas: both.map((rows) => rows[0]),
    hidden: both.map((rows) => rows[1]),
    offer: message.offer?.length ? row(message.offer) : unknown(message.offered),
    drawn: row(message.draws),
  };
}

function boardOf(board) {
  const stances = SPACES.map((space) => plainName(board?.stances?.[space], "RRR_STANCE_", ""));
  const tiles = SPACES.map((space) => tileName(board?.tiles?.[space]));
  return SPACES.map((space) => ({
    tile: tiles[space],
    ally: stances[space].startsWith("ALLY") ? Number(stances[space].slice(-1)) : null,
    destroyer: stances[space].startsWith("DESTROYED") ? Number(stances[space].slice(-1)) : null,
  }));
}

function workingAt(board, tile) {
  return board.findIndex((field) => field.tile === tile && field.ally !== null);
}

function besideSage(board) {
  const sage = workingAt(board, "SAGE");
  return sage < 0 ? [] : SPACES.filter((space) => isOrthogonal(sage, space) && steps(sage, space)[0] === 0);
}

function shieldsOf(board) {
  const beside = besideSage(board);
  const armoured = (space) => beside.includes(space) || powerOf(board[space].tile)?.[1].includes(4);
  return SPACES.filter((space) => board[space].ally !== null && armoured(space));
}

function cancelledOn(board) {
  const shaman = workingAt(board, "SHAMAN");
  const witch = workingAt(board, "WITCH");
  const beside = besideSage(board);
  const reached = (space) =>
    (shaman >= 0 && isOrthogonal(shaman, space)) || (witch >= 0 && isDiagonal(witch, space));
  return SPACES.filter((space) => reached(space) && !beside.includes(space));
}

function canPlace(view, seat) {
  const tiles = [...view.areas[seat], ...view.hidden[seat], ...view.zone];
  const shields = shieldsOf(view.board);
  const coverable = SPACES.some((space) => view.board[space].ally === seat && !shields.includes(space));
  return tiles.length > 1 || (tiles.length === 1 && (tiles[0] !== "TOWER" || coverable));
}

// Who lost the round that has just ended, and why; null while a round is played.
function resultOf(view) {
  if (view.phase !== "NAME" && view.phase !== "OVER") return null;
  const reaper = workingAt(view.board, "REAPER");
  const full = view.board.every((field) => field.ally !== null);
  const counted = full || view.placements >= MOST_PLACEMENTS;
  if (counted && reaper >= 0) return { loser: view.board[reaper].ally, reason: "has the Reaper as an ally" };
  const [allies, others] = view.allies;
  if (counted && allies !== others) return { loser: allies > others ? 1 : 0, reason: "has fewer allies" };
  const loser = view.mover ?? guessedLoser(view);
  return { loser, reason: counted ? "placed the last tile at equal numbers" : "has no tile to place" };
}

function guessedLoser(view) {
  if (view.victory === "ROUNDS") return view.score[0] > view.score[1] ? 1 : 0;
  const next = 1 - (view.lastMover ?? 0);
  if (view.placements >= MOST_PLACEMENTS) return 1 - next;
  return canPlace(view, next) ? 1 - next : next;
}

// How many neutral tiles are left before the others are shuffled again.
function supplyLeft(drawn, perRound) {
  let left = NEUTRALS;
  for (let round = 0; perRound && round < Math.floor(drawn / perRound); round += 1) {
    for (let taken = 0; taken < perRound; taken += 1) {
      if (left === 0) left = NEUTRALS - taken;
      left -= 1;
    }
  }
  return left;
}

function viewOf(message, seat) {
  const config = message.config ?? {};
  const events = [...(message.events ?? []), ...(message.earlier ?? [])];
  const board = boardOf(message.board);
  const phase = plainName(message.phase, "RRR_PHASE_", "PLACE");
  return {
    ...tablesOf(message, seat),
    setup: plainName(config.setup, "RRR_SETUP_", "NEUTRAL_ZONE"),
    victory: plainName(config.victory, "RRR_VICTORY_", "ROUNDS"),
    rounds: config.rounds || 3,
    phase,
    mover: phase === "OVER" ? null : message.mover ?? 0,
    lastMover: events.length ? events[events.length - 1].seat ?? 0 : null,
    round: message.round || 1,
    first: message.first ?? 0,
    placements: message.placements ?? 0,
    picks: message.picks ?? 0,
    score: [0, 1].map((number) => message.score?.[number] ?? 0),
    board,
    covered: tileName(message.board?.covered),
    coveredAlly: message.board?.covered_ally ?? 0,
    allies: [0, 1].map((number) => board.filter((field) => field.ally === number).length),
    zone: row(message.zone).sort(byOrder),
    discard: row(message.discard),
    banished: row(message.banished),
  };
}

function thing(tile, place, index, more = {}) {
  const key = tile ? tile.toLowerCase() : `back-${place}-${more.owner ?? "none"}-${index}`;
  const face = tile ? "up" : "back";
  return { key, tile, place, index, face, owner: null, shield: false, secret: false, destroyer: null, ...more };
}

function boardThings(view) {
  const shields = shieldsOf(view.board);
  const found = [];
  view.board.forEach(({ tile, ally, destroyer }, space) => {
    const stacked = tile === "TOWER" ? view.covered : null;
    if (stacked) found.push(thing(stacked, "under", space, { owner: view.coveredAlly }));
    if (!tile) return;
    const face = ally === null ? "down" : "up";
    const shield = shields.includes(space);
    found.push(thing(tile, "board", space, { owner: ally, face, destroyer, shield, covers: stacked }));
  });
  return found;
}

// A tile of a seat's own side has a place of its own; all others follow behind the seven.
function areaThings(view, seat) {
  const home = HOMES[seat];
  const open = view.areas[seat].filter((tile) => home.includes(tile));
  const gained = view.areas[seat].filter((tile) => !home.includes(tile)).sort(byOrder);
  const known = [
    ...open.map((tile) => thing(tile, "area", home.indexOf(tile), { owner: seat })),
    ...gained.map((tile, place) => thing(tile, "area", home.length + place, { owner: seat })),
  ];
  const begin = home.length + gained.length;
  const hidden = view.hidden[seat].map((tile, place) =>
    thing(tile, "hidden", begin + place, { owner: seat, secret: true }));
  return [...known, ...hidden];
}

// The tiles of the round keep their places in the neutral zone when others leave it.
function zonePlaces(view) {
  const drawn = view.setup === "NEUTRAL_ZONE" ? view.drawn.slice(-PER_ROUND.NEUTRAL_ZONE).sort(byOrder) : [];
  return view.zone.every((tile) => drawn.includes(tile)) ? drawn : view.zone;
}

function scene(message, seat) {
  const view = viewOf(message, seat);
  const places = zonePlaces(view);
  const secretOffer = view.setup === "SECRET_DRAFT";
  return {
    seat,
    setup: view.setup,
    victory: view.victory,
    rounds: view.rounds,
    phase: view.phase,
    mover: view.mover,
    round: view.round,
    first: view.first,
    placements: view.placements,
    picks: view.picks,
    score: view.score,
    allies: view.allies,
    result: resultOf(view),
    supply: supplyLeft(view.drawn.length, PER_ROUND[view.setup] ?? 0),
    cancelled: cancelledOn(view.board),
    zonePlaces: places,
    things: [
      ...boardThings(view),
      ...areaThings(view, 1),
      ...areaThings(view, 0),
      ...view.zone.map((tile) => thing(tile, "zone", places.indexOf(tile))),
      ...view.offer.map((tile, place) => thing(tile, "offer", place, { secret: secretOffer })),
      ...view.discard.map((tile, place) => thing(tile, "discard", place)),
      ...view.banished.map((tile, place) => thing(tile, "banished", place)),
    ],
  };
}

const inPlace = (shown, place, owner = null) =>
  shown.things.filter((item) => item.place === place && (owner === null || item.owner === owner));
const onBoard = (shown, space) => shown.things.find((item) => item.place === "board" && item.index === space);

// -- words -----------------------------------------------------------------------------------------------------

const seatWords = (seat) => `seat ${seat} (${SIDES[seat]})`;
const called = (item) => (item.tile ? titled(item.tile) : "a hidden tile");
const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

function goalWords(shown) {
  if (shown.victory === "POINTS") return `round ${shown.round} of ${shown.rounds}, points decide`;
  return `round ${shown.round}, two rounds win`;
}

function resultWords(shown, nameOf) {
  const { loser, reason } = shown.result;
  return `${nameOf(1 - loser)} wins round ${shown.round}: ${nameOf(loser)} ${reason}`;
}

function finalWords(shown, nameOf) {
  const [mine, yours] = shown.score;
  if (mine === yours) return `The match is a draw, ${mine} : ${yours}`;
  return `${nameOf(mine > yours ? 0 : 1)} wins the match, ${mine} : ${yours}`;
}

function taskWords(shown, nameOf) {
  if (shown.phase === "OVER") return finalWords(shown, nameOf);
  const who = nameOf(shown.mover);
  if (shown.phase === "NAME") return `${who} names the first player of round ${shown.round + 1}`;
  if (shown.phase === "PICK") return `${who} keeps 1 of ${inPlace(shown, "offer").length} tiles in the draft`;
  return `${who} places tile ${shown.placements + 1} of the round`;
}

function fieldWords(shown, space) {
  const item = onBoard(shown, space);
  if (!item) return shown.cancelled.includes(space) ? "free; instant powers are cancelled here" : "free";
  if (item.face === "down") return `${called(item)}, destroyed, face down until seat ${item.destroyer}'s next turn`;
  const covers = item.covers ? `, on top of the ${titled(item.covers)}` : "";
  return `${called(item)}, ally of seat ${item.owner}${covers}${item.shield ? ", with a shield" : ""}`;
}

function itemWords(shown, item) {
  if (!item.tile) return "a tile that this seat may not know";
  const power = TEXTS[twin(item.tile)];
  const state = {
    board: () => `. Space ${item.index}: ${fieldWords(shown, item.index)}`,
    under: () => `. Under the Tower on space ${item.index}; it does nothing now`,
    hidden: () => `. Hidden from the opponent of seat ${item.owner}`,
    area: () => `. In the area of ${seatWords(item.owner)}`,
    zone: () => ". In the neutral zone: both seats may place it",
    offer: () => ". On offer in the draft",
    discard: () => ". In the discard",
    banished: () => ". Banished by an Assassin, out of the round",
  };
  return `${called(item)}, ${power}${state[item.place]()}`;
}

function say(shown) {
  const score = `${shown.victory === "POINTS" ? "points" : "rounds"} ${shown.score[0]} : ${shown.score[1]}`;
  const heading = `${taskWords(shown, seatWords)}; ${goalWords(shown)}, ${score}`;
  const listed = (items) => items.map((item) =>
    item.tile ? `${called(item)}${item.secret ? " (hidden)" : ""}: ${TEXTS[twin(item.tile)]}` : "a hidden tile");
  const state = [
    `Allies: seat 0 has ${shown.allies[0]}, seat 1 has ${shown.allies[1]}`,
    `First player of the round: ${seatWords(shown.first)}`,
    `Neutral tiles: ${SETUP_NAMES[shown.setup]}; ${shown.supply} left in the supply`,
    ...(shown.result ? [resultWords(shown, seatWords)] : []),
  ];
  const lists = [{ title: "State of the round", items: state }];
  for (const seat of [0, 1]) {
    const items = listed([...inPlace(shown, "area", seat), ...inPlace(shown, "hidden", seat)]);
    lists.push({ title: `Area of ${seatWords(seat)}`, items: items.length ? items : ["no tiles"] });
  }
  for (const [place, title] of [["zone", "Neutral zone"], ["offer", "On offer"], ["discard", "Discard"],
    ["banished", "Banished"]]) {
    const items = listed(inPlace(shown, place));
    if (items.length) lists.push({ title, items });
  }
  const fields = SPACES.map((space) => `${space}: ${fieldWords(shown, space)}`);
  const rows = [0, 3, 6].map((begin, number) =>
    [["top", "middle", "bottom"][number], ...fields.slice(begin, begin + 3)]);
  return { heading, lists, table: { caption: "The board; seat 1 sits above, seat 0 below",
    head: ["row", "left", "middle", "right"], rows } };
}

// -- what the last move did ------------------------------------------------------------------------------------

const DIRECTIONS = {
  UP: [-1, 0], UP_RIGHT: [-1, 1], RIGHT: [0, 1], DOWN_RIGHT: [1, 1],
  DOWN: [1, 0], DOWN_LEFT: [1, -1], LEFT: [0, -1], UP_LEFT: [-1, -1],
};

function isSecret(shown, last) {
  const watched = shown.seat !== null && shown.seat !== last.seat;
  return watched && shown.setup === "SECRET_DRAFT" && "pick" in (last.move ?? {});
}

function onLine(at, space, name) {
  const [down, right] = DIRECTIONS[plainName(name, "RRR_DIRECTION_", "UP")];
  return [1, 2].some((far) => {
    const [rows, columns] = steps(at, space);
    return rows === far * down && columns === far * right;
  });
}

// The spaces that a rotating power reaches from its space.
function rotatedArea(place, at, actor) {
  if ("target" in place) return [place.target];
  if ("direction" in place) return SPACES.filter((space) => onLine(at, space, place.direction));
  if ("neighbours" in place) {
    const near = place.neighbours === "RRR_NEIGHBOURS_DIAGONAL" ? isDiagonal : isOrthogonal;
    return SPACES.filter((space) => near(at, space));
  }
  const ahead = actor.owner === 0 ? -1 : 1;
  const reached = (space) => isAround(at, space) && (actor.tile === "DRAGON" || steps(at, space)[0] === ahead);
  return SPACES.filter(reached);
}

function isTurned(shown, space) {
  const item = onBoard(shown, space);
  return Boolean(item) && item.face === "up" && !item.shield;
}

// Marks on the board: `kind` tells what happened on `space`, caused by the tile on `from`.
function effectsOf(shown, place) {
  const used = ["target", "direction", "neighbours", "every", "shift", "chosen", "hidden_place"]
    .some((name) => name in place);
  const route = [place.space ?? 0, ...(place.woken ?? [])];
  const marks = route.slice(1).map((space, number) => ({ kind: "wake", space, from: route[number] }));
  const at = route[route.length - 1];
  const actor = onBoard(shown, at);
  if (!used || !actor) return marks;
  const [verb] = powerOf(actor.tile) ?? [];
  if ("shift" in place) {
    const { source = 0, destination = 0 } = place.shift;
    marks.push({ kind: "move", space: destination, from: source });
  } else if (verb === "rotate") {
    // A Tower that was discarded just now may have uncovered a tile, which then looks as if it had been rotated.
    const certain = inPlace(shown, "discard").at(-1)?.tile !== "TOWER" || "target" in place;
    const turned = rotatedArea(place, at, actor).filter((space) => certain && isTurned(shown, space));
    marks.push(...turned.map((space) => ({ kind: "rotate", space, from: at })));
  } else if ("target" in place) {
    marks.push({ kind: verb, space: place.target, from: at });
  }
  return marks;
}

// The tile that left an area, the neutral zone or the discard, or that was kept in a draft.
function chosenThing(shown, last) {
  const { pick, place } = last.move;
  if (place && "chosen" in place) return shown.things.find((item) => item.tile === tileName(place.chosen));
  if (place && "hidden_place" in place) return inPlace(shown, "banished").at(-1);
  if (pick === undefined) return undefined;
  const kept = isSecret(shown, last) ? null : shown.things.find((item) => item.tile && item.tile === tileName(pick));
  return kept ?? inPlace(shown, "hidden", last.seat).at(-1);
}

// Where the placed tile came from, as far as the position after the move tells it.
function originOf(shown, last) {
  const tile = tileName(last.move.place.tile);
  const home = HOMES[last.seat].indexOf(tile);
  if (home >= 0) return { place: "area", owner: last.seat, index: home };
  const taken = shown.things.some((item) =>
    TAKERS.includes(item.tile) && item.tile !== tile && !["zone", "offer"].includes(item.place));
  const index = shown.zonePlaces.indexOf(tile);
  return shown.setup === "NEUTRAL_ZONE" && index >= 0 && !taken ? { place: "zone", owner: null, index } : null;
}

function lastOf(shown, last) {
  const nothing = { placed: null, origin: null, marks: [], chosen: undefined };
  if (!last?.move) return nothing;
  const chosen = chosenThing(shown, last);
  const place = last.move.place;
  if (!place) return { ...nothing, chosen };
  return { placed: place.space ?? 0, origin: originOf(shown, last), marks: effectsOf(shown, place), chosen };
}

function changeWords(shown, done, nameOf) {
  const turned = [0, 1].map((seat) => done.marks
    .filter(({ kind, space }) => kind === "rotate" && onBoard(shown, space).owner === seat)
    .map(({ space }) => called(onBoard(shown, space))));
  return turned.flatMap((tiles, seat) => (tiles.length ? [`Now with ${nameOf(seat)}: ${tiles.join(", ")}`] : []));
}

function moveWords(shown, last, nameOf) {
  if (!last) return shown.placements || shown.round > 1 ? "" : "The match begins.";
  if (last.move && isSecret(shown, last)) return `${nameOf(last.seat)} keeps a tile in secret`;
  return last.text || `${nameOf(last.seat ?? 0)} has moved`;
}

// -- icons: paths on a grid of 24 by 24; the first is stroked, the second filled -------------------------------

const dot = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
const beads = [...Array(9).keys()].map((number) => {
  const angle = ((number + 0.5) / 9) * 2 * Math.PI + Math.PI / 2;
  return dot(Number((12 + 6.5 * Math.cos(angle)).toFixed(1)), Number((9 + 6.5 * Math.sin(angle)).toFixed(1)), 1.5);
}).join("");
const SHIELD = "M12 2.5 20 5.5v5.5c0 5-3.4 8.6-8 10.5-4.6-1.9-8-5.5-8-10.5V5.5z";
const ICONS = {
  KING: ["M5 19.5h14M4.5 16 3 6.5l5 4.5 4-7 4 7 5-4.5L19.5 16z", dot(12, 13, 1.2)],
  QUEEN: ["M6 19.5h12M6 16 3.5 8.5 8.5 12 12 6l3.5 6 5-3.5L18 16z",
    dot(3.5, 7, 1.6) + dot(12, 4.4, 1.8) + dot(20.5, 7, 1.6)],
  PRINCESS: ["M3 17c6-3 12-3 18 0M3 17l2-6.5 4 3L12 8l3 5.5 4-3 2 6.5", dot(12, 5, 2) + dot(5, 8.5, 1.3) + dot(19, 8.5, 1.3)],
  MINISTER: ["M8 4h11v12M8 4a2.5 2.5 0 0 0-5 0v3h5M8 4v14a2.5 2.5 0 0 0 5 0v-2h8.5v2a2.5 2.5 0 0 1-2.5 2.5h-8.5"
    + "M11.5 8h4.5M11.5 12h4.5", ""],
  GENERAL: ["M4 3.5 15.5 15M20 3.5 8.5 15M13 18.5l5.5-5.5M5.5 13l5.5 5.5M16 16l4.5 4.5M8 16l-4.5 4.5", ""],
  SORCERER: ["M3.5 20.5 12.5 11.5", "M16 2l1.5 4.5L22 8l-4.5 1.5L16 14l-1.5-4.5L10 8l4.5-1.5z"
    + "M6 3l.8 2.2L9 6l-2.2.8L6 9l-.8-2.2L3 6l2.2-.8z"],
  CASTLE: ["M4 20.5V5h3.5v3h2.7V5h3.6v3h2.7V5H20v15.5zM10 20.5v-4.5a2 2 0 0 1 4 0v4.5M4 12h16", ""],
  HIEROPHANT: ["M12 2.5v19M9.5 6h5M8 10h8M6 14h12", ""],
  CARDINAL: ["M2 12.5c0 2.5 20 2.5 20 0M7 13c0-5.5 2-8.5 5-8.5s5 3 5 8.5M5.5 14.5v3.5M18.5 14.5v3.5",
    dot(5.5, 19.5, 1.8) + dot(18.5, 19.5, 1.8)],
  SAINT: ["M6.5 4.5a5.5 2 0 1 0 11 0a5.5 2 0 1 0-11 0M9 11a3 3 0 1 0 6 0a3 3 0 1 0-6 0M5.5 21c0-4 2.6-5.5 6.5-5.5"
    + "s6.5 1.5 6.5 5.5z", ""],
  BISHOP: ["M6 20.5C5 15 6 9 12 2.5c6 6.5 7 12.5 6 18zM6 17h12M12 7v7M9 10h6", ""],
  PALADIN: ["M5.5 5.5c4-3 9-3 13 0v9c0 3-3 6-6.5 7-3.5-1-6.5-4-6.5-7zM5.5 10h13M12 6.5V18", ""],
  MONK: ["M12 15.5v6M9.8 18h4.4", beads],
  TEMPLE: ["M3 9 12 3.5 21 9zM3 20.5h18M5.5 9v9M10 9v9M14 9v9M18.5 9v9M4 18h16", ""],
  CITIZEN: ["M8 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0M4.5 21c0-5 3-7.5 7.5-7.5s7.5 2.5 7.5 7.5z", ""],
  ASSASSIN: ["M12 22l-2.5-4.5V9h5v8.5zM6.5 9h11M12 9V4", dot(12, 3.5, 1.6)],
  PIRATE: ["M12 2.5a6 6 0 0 0-6 6c0 2 1 3.5 2.5 4.5v2.5h7V13c1.5-1 2.5-2.5 2.5-4.5a6 6 0 0 0-6-6zM4 16.5l16 5M20 16.5l-16 5",
    dot(9.6, 8.8, 1.4) + dot(14.4, 8.8, 1.4)],
  FAIRY: ["M12 8.5V19M12 11C10 4.5 3 3 3.5 8c.4 3.6 4.5 5 8.5 4M12 11c2-6.5 9-8 8.5-3-.4 3.6-4.5 5-8.5 4"
    + "M12 13c-4.5.5-6.5 3-5 5.5s4.5.5 5-3M12 13c4.5.5 6.5 3 5 5.5s-4.5.5-5-3", dot(12, 6.5, 1.7)],
  REAPER: ["M7.5 21.5 17 4M12.5 12l3 1.6", "M17.5 2.5C11 1.5 5 4.5 2.5 11.5c4-4 8.5-5.5 13.5-5.5z"],
  SEER: ["M2 12s3.8-6.5 10-6.5S22 12 22 12s-3.8 6.5-10 6.5S2 12 2 12zM12 1.5v1.5M5 3.5l1 1.5M19 3.5l-1 1.5", dot(12, 12, 3.2)],
  DRAGON: ["M3 13.5l5.5-1.5L10 8 7.5 3.5 13 6l3.5-3.5-.5 5c3.5 2.5 5.5 7 5 13.5-1.5-3-4-4.5-7-4.5-2 0-3.5 1.2-6 1.2-2.5 0-4-1.2-5-4z",
    dot(13, 10, 1.3)],
  SHAMAN: ["M6 6.5h12v5.5c0 5-3 8-6 9.5-3-1.5-6-4.5-6-9.5zM9 6.5 7.5 2M12 6.5V2M15 6.5 16.5 2M8.5 11l2.5 1M15.5 11 13 12M9.5 16.5h5", ""],
  WITCH: ["M1.5 19.5c6.5-2 14.5-2 21 0M6 18 11.5 3.5l3 1.5 3.5.5-3 2.5 3 10M8 13.5c2.6-1 5.5-1 8.5 0", ""],
  SAMURAI: ["M4.5 13.5a7.5 7.5 0 0 1 15 0M2 17.5l3-4h14l3 4-3 3.5-2-3H7l-2 3zM12 8.5 6.5 2M12 8.5 17.5 2", dot(12, 9.5, 1.8)],
  NINJA: ["M12 2l2.7 7.3L22 12l-7.3 2.7L12 22l-2.7-7.3L2 12l7.3-2.7z", dot(12, 12, 1.6)],
  BARD: ["M9 18V5.5L20 3v12.5M9 9.5 20 7", dot(6.2, 18, 2.9) + dot(17.2, 15.5, 2.9)],
  ARTIST: ["M12 3a9 9 0 1 0 0 18c2.2 0 2.4-1.6 1.7-2.8-.8-1.5 0-3 2-3H18a3 3 0 0 0 3-3C21 7 17 3 12 3z",
    dot(7.5, 12.5, 1.4) + dot(9.5, 8, 1.4) + dot(14, 7, 1.4) + dot(17.3, 10.2, 1.4)],
  SAGE: ["M12 6C9 4 6 4 2.5 5v14c3.5-1 6.5-1 9.5 1 3-2 6-2 9.5-1V5C18 4 15 4 12 6zM12 6v14M5.5 9c1.5-.3 2.5-.2 4 .3M5.5 13c1.5-.3 2.5-.2 4 .3M18.5 9c-1.5-.3-2.5-.2-4 .3M18.5 13c-1.5-.3-2.5-.2-4 .3", ""],
  TOWER: ["M7.5 21.5V10h9v11.5zM6 10V3.5h2.7V6h2V3.5h2.6V6h2V3.5H18V10zM12 13v3", ""],
  ADVENTURER: ["M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21", "M16.5 7.5l-3 6-6 3 3-6z"],
  HERMIT: ["M12 5V2M8 8.5 9.5 5h5L16 8.5zM7.5 8.5v9.5h9V8.5zM6 21h12M6.5 18 6 21M17.5 18l.5 3",
    "M12 10.5c2.5 2.5 2 5.5 0 5.5s-2.5-3 0-5.5z"],
  MAGICIAN: ["M2.5 18.5c3 2 16 2 19 0M7 18.5 6 8.5c3 1.2 9 1.2 12 0l-1 10M6.7 15c3 1.2 7.6 1.2 10.6 0",
    "M12 .5l.9 2.6L15.5 4l-2.6.9L12 7.5l-.9-2.6L8.5 4l2.6-.9z"],
};
const SYMBOLS = {
  rotate: ["M19.5 12a7.5 7.5 0 1 1-2.7-5.8M17.5 2v5h-5", ""],
  destroy: ["M5 5l14 14M19 5 5 19", ""],
  banish: ["M12 16V4M6.5 9.5 12 4l5.5 5.5M4 20.5h16", ""],
  take: ["M12 3.5V16M6.5 10.5 12 16l5.5-5.5M4 20.5h16", ""],
  move: ["M3 12h17M13.5 5.5 20 12l-6.5 6.5", ""],
  wake: ["", "M13.5 1.5 4.5 14H11l-1 8.5L19.5 9.5H13z"],
  cancel: ["M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0M6 6l12 12", ""],
  shield: ["", SHIELD],
  lose: ["M12 3a7 7 0 0 0-7 7c0 2.5 1.2 4 3 5v3.5h8V15c1.8-1 3-2.5 3-5a7 7 0 0 0-7-7zM10.7 18.5V16M13.3 18.5V16",
    dot(9.3, 10.2, 1.7) + dot(14.7, 10.2, 1.7)],
  secret: ["M2.5 12S6 6 12 6s9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6zM4 20.5 20 3.5", dot(12, 12, 2)],
};

// -- drawing: small parts ------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const group = (kind, ...children) => make("g", { class: kind }, ...children);
const titleOf = (text) => make("title", {}, text);
const rounded = (number) => Number(number.toFixed(2));
const shift = (x, y) => `translate(${rounded(x)} ${rounded(y)})`;
const box = (kind, { x, y, w, h }, radius = 8) =>
  make("rect", { class: kind, x: rounded(x), y: rounded(y), width: rounded(w), height: rounded(h), rx: radius });

function label(kind, x, y, size, text, anchor = "start") {
  const attributes = { class: kind, x: rounded(x), y: rounded(y), "font-size": rounded(size), "text-anchor": anchor };
  return make("text", attributes, text);
}

function glyph(paths, x, y, size) {
  const scale = rounded(size / 24);
  const parts = [["rrr-line", paths[0]], ["rrr-solid", paths[1]]].filter(([, path]) => path);
  const attributes = { transform: `${shift(x - size / 2, y - size / 2)} scale(${scale})` };
  return make("g", attributes, ...parts.map(([kind, path]) => make("path", { class: kind, d: path })));
}

function charWidth(char) {
  if (char.codePointAt(0) > 0x10ff) return 1;
  if ("iljtfrI.,:;'|!()[] ".includes(char)) return 0.33;
  if ("mwMW@%".includes(char)) return 0.88;
  return /[A-Z0-9_]/.test(char) ? 0.68 : 0.56;
}

const textWidth = (text, size) => [...text].reduce((sum, char) => sum + charWidth(char), 0) * size;

function shortened(text, size, width) {
  if (textWidth(text, size) <= width) return text;
  const chars = [...text];
  while (chars.length && textWidth(`${chars.join("")}…`, size) > width) chars.pop();
  return `${chars.join("").trimEnd()}…`;
}

function wrapped(text, size, width, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (textWidth(longer, size) <= width) lines[lines.length - 1] = longer;
    else if (lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = word;
  }
  const shown = lines.slice(0, Math.max(0, most));
  if (shown.length && shown.length < lines.length) shown[shown.length - 1] += " …";
  return shown.map((line) => shortened(line, size, width));
}

// A tile points away from the seat whose ally it is; a tile of nobody has no point.
function outlinePath(owner, w, h, peak) {
  const [x, y] = [w / 2, h / 2];
  if (owner === null) return `M${-x} ${-y}H${x}V${y}H${-x}Z`;
  const way = owner === 0 ? 1 : -1;
  return `M${-x} ${way * (peak - y)}L0 ${-way * y}L${x} ${way * (peak - y)}V${way * y}H${-x}Z`;
}

function reachMark(kind, space, distance, size) {
  const [down, right] = steps(4, space);
  const [x, y] = [right * distance, down * distance];
  const ray = kind === "line" && `M${0.62 * x} ${0.62 * y}L${1.1 * x} ${1.1 * y}`;
  if (ray) return make("path", { class: "rrr-line rrr-thin", d: ray });
  const filled = kind === "all" || (kind === "either" && isOrthogonal(4, space));
  const attributes = { class: filled ? "rrr-solid" : "rrr-ring", cx: rounded(x), cy: rounded(y), r: rounded(size) };
  return make("circle", attributes);
}

// What the power does in the middle, where it reaches around: rings for one of them, discs for all of them.
function powerMark(item, x, y, size) {
  const [verb, spaces, kind] = powerOf(item.tile) ?? ["", [], ""];
  if (!verb) return [];
  const near = spaces.filter((space) => space !== 4);
  const shown = kind === "either" ? AROUND : near;
  const turned = item.owner === 1 && item.tile === "SEER" ? shown.map((space) => space + 6) : shown;
  const marks = turned.map((space) => reachMark(kind, space, size * 0.4, size * 0.085));
  const symbol = glyph(SYMBOLS[verb], 0, 0, near.length ? size * 0.5 : size * 0.68);
  return [make("g", { class: "rrr-power", transform: shift(x, y) }, symbol, ...marks)];
}

// -- drawing: where things are --------------------------------------------------------------------------------------

const LAYOUTS = {
  wide: {
    w: 1000, h: 640, text: 15, line: 19, cell: 132, gap: 8, board: { x: 294, y: 114 }, columns: 10, rows: 1,
    hands: [{ x: 16, y: 538, w: 968, h: 90 }, { x: 16, y: 12, w: 968, h: 90 }],
    panels: [{ x: 16, y: 440, w: 262, h: 86 }, { x: 16, y: 114, w: 262, h: 86 }],
    status: { x: 16, y: 208, w: 262, h: 224 }, side: { x: 722, y: 114, w: 262, h: 412 },
    forms: [{ zone: ["card", 3, 82], rest: ["row", 2, 34] }, { zone: ["card", 3, 82], rest: ["mini", 6, 39] }],
  },
  portrait: {
    w: 600, h: 930, text: 20, line: 23.5, cell: 126, gap: 7, board: { x: 8, y: 208 }, columns: 5, rows: 2,
    hands: [{ x: 8, y: 608, w: 584, h: 134 }, { x: 8, y: 66, w: 584, h: 134 }],
    panels: [{ x: 8, y: 748, w: 584, h: 54 }, { x: 8, y: 6, w: 584, h: 54 }],
    status: { x: 8, y: 808, w: 584, h: 116 }, side: { x: 412, y: 208, w: 180, h: 392 },
    forms: [{ zone: ["row", 1, 38], rest: ["row", 1, 38] }, { zone: ["row", 1, 38], rest: ["mini", 4, 40] },
      { zone: ["row", 1, 38], rest: ["mini", 6, 26] }],
  },
};
const SLOT_GAP = 6;

const centre = ({ x, y, w, h }) => ({ x: x + w / 2, y: y + h / 2 });

function gridPlace(area, columns, height, index, gap = SLOT_GAP) {
  const w = (area.w - gap * (columns - 1)) / columns;
  const [down, right] = [Math.floor(index / columns), index % columns];
  return { x: area.x + right * (w + gap), y: area.y + down * (height + gap), w, h: height };
}

function cellPlace(plan, space) {
  const pitch = plan.cell + plan.gap;
  return {
    x: plan.board.x + (space % 3) * pitch, y: plan.board.y + Math.floor(space / 3) * pitch, w: plan.cell, h: plan.cell,
  };
}

function handPlace(plan, shown, seat, index) {
  const slots = 1 + Math.max(6, ...shown.things.filter(({ place, owner }) =>
    owner === seat && (place === "area" || place === "hidden")).map((item) => item.index));
  const columns = Math.max(plan.columns, Math.ceil(slots / plan.rows));
  const area = plan.hands[seat];
  return gridPlace(area, columns, (area.h - SLOT_GAP * (plan.rows - 1)) / plan.rows, index);
}

// The groups beside the board, from the top down, in the first forms that fit.
function sidePlan(plan, shown) {
  const counts = { zone: shown.zonePlaces.length };
  for (const place of ["offer", "discard", "banished"]) counts[place] = inPlace(shown, place).length;
  const titles = {
    zone: "Neutral zone", offer: shown.setup === "SECRET_DRAFT" ? "Secret draft" : "Draft",
    discard: "Discard", banished: "Banished",
  };
  const title = plan.text + 6;
  let groups = {};
  let y = 0;
  for (const forms of plan.forms) {
    groups = {};
    y = plan.side.y;
    for (const place of Object.keys(titles).filter((name) => counts[name])) {
      const [form, columns, height] = place === "zone" || place === "offer" ? forms.zone : forms.rest;
      const area = { ...plan.side, y: y + title };
      groups[place] = { title: titles[place], y, form, columns, height, area, count: counts[place] };
      y += title + Math.ceil(counts[place] / columns) * (height + 4) + 8;
    }
    if (y - 12 <= plan.side.y + plan.side.h) break;
  }
  return { groups, end: y };
}

const sidePlace = (side, place, index) => {
  const { area, columns, height } = side.groups[place];
  return gridPlace(area, columns, height, index, 4);
};

// The rectangle and the form of every thing.
function spotsOf(plan, shown) {
  const side = sidePlan(plan, shown);
  const spots = new Map();
  for (const item of shown.things) {
    const { place, index, owner } = item;
    if (place === "board") spots.set(item.key, { ...cellPlace(plan, index), form: "cell" });
    else if (place === "under") spots.set(item.key, { ...cellPlace(plan, index), form: "under" });
    else if (place === "area" || place === "hidden") {
      spots.set(item.key, { ...handPlace(plan, shown, owner, index), form: "card" });
    } else spots.set(item.key, { ...sidePlace(side, place, index), form: side.groups[place].form });
  }
  return spots;
}

// -- drawing: a tile ------------------------------------------------------------------------------------------------

function tileClass(item) {
  if (item.face === "back") return "rrr-tile rrr-back";
  if (item.face === "down") return "rrr-tile rrr-down";
  const owner = item.owner === null ? "none" : item.owner;
  const gone = item.place === "discard" || item.place === "banished" ? " rrr-gone" : "";
  return `rrr-tile rrr-side-${owner}${gone}${item.secret ? " rrr-secret" : ""}`;
}

const nameSize = (item, size, width) => Math.min(size, (width * size) / textWidth(titled(item.tile), size));

function cellParts(item, plan, w, h) {
  const lean = item.owner === null ? 0 : (item.owner === 0 ? 1 : -1) * 5;
  const name = (y) => label("rrr-name", 0, y + lean, nameSize(item, plan.text + 3, w - 12), titled(item.tile), "middle");
  const pair = (y) => {
    const power = powerMark(item, w * 0.22, y + lean, w * 0.36);
    return [glyph(ICONS[item.tile], power.length ? -w * 0.2 : 0, y + lean, w * 0.4), ...power];
  };
  if (item.face === "down") {
    const until = `until seat ${item.destroyer}`;
    return [glyph(SYMBOLS.destroy, 0, -h * 0.24, 34), name(h * 0.06), label("rrr-note", 0, h * 0.06 + plan.line, plan.text, "face down", "middle"),
      label("rrr-note", 0, h * 0.06 + 2 * plan.line, plan.text, until, "middle")];
  }
  if (!item.covers) return [...pair(-h * 0.12), name(h * 0.27)];
  const under = `on ${titled(item.covers)}`;
  return [...pair(-h * 0.19), name(h * 0.17),
    label("rrr-note", 0, h * 0.17 + plan.line + lean, nameSize({ tile: under }, plan.text, w - 12), under, "middle")];
}

function cardParts(item, plan, w, h) {
  const lean = item.owner === null ? 0 : (item.owner === 0 ? 1 : -1) * 3;
  const size = Math.min(h - plan.text - 18, 46, w * 0.48);
  const top = -h / 2 + size / 2 + 7 + lean;
  const power = powerMark(item, w * 0.23, top, Math.min(size + 4, w * 0.42));
  const bottom = h / 2 - 8 + lean;
  return [
    glyph(ICONS[item.tile], power.length ? -w * 0.21 : 0, top, size), ...power,
    label("rrr-name", 0, bottom, nameSize(item, plan.text, w - 5), titled(item.tile), "middle"),
  ];
}

function rowParts(item, plan, w, h) {
  const size = h - 8;
  const power = w > 150 ? powerMark(item, w / 2 - size / 2 - 5, 0, size) : [];
  const width = w - size - 14 - (power.length ? size + 6 : 0);
  const font = nameSize(item, plan.text, width);
  return [
    glyph(ICONS[item.tile], -w / 2 + 5 + size / 2, 0, size), ...power,
    label("rrr-name", -w / 2 + size + 10, font * 0.35, font, titled(item.tile)),
  ];
}

const PARTS = {
  cell: cellParts, card: cardParts, row: rowParts, under: () => [],
  mini: (item, plan, w, h) => [glyph(ICONS[item.tile], 0, 0, Math.min(w, h) - 8)],
};

function backParts(w, h) {
  const [x, y] = [w / 2 - 6, h / 2 - 6];
  const size = Math.min(x, y) * 0.62;
  return [
    make("path", { class: "rrr-ornament", d: `M${-x} ${-y}H${x}V${y}H${-x}Z` }),
    make("path", { class: "rrr-ornament", d: `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z` }),
    label("rrr-name", 0, size * 0.3, size * 0.9, "?", "middle"),
  ];
}

function drawTile(element, item, spot, plan, words) {
  const onField = spot.form === "cell" || spot.form === "under";
  const inset = onField ? 10 : 2;
  const [w, h] = [spot.w - inset, spot.h - inset];
  const peak = onField ? 18 : spot.form === "card" ? 9 : 5;
  const pointed = item.face === "up" && spot.form !== "mini" ? item.owner : null;
  const body = make("path", { class: "rrr-body", d: outlinePath(pointed, w, h, peak) });
  const parts = item.face === "back" ? backParts(w, h) : PARTS[spot.form](item, plan, w, h);
  if (item.secret && item.tile) parts.push(glyph(SYMBOLS.secret, w / 2 - 11, -h / 2 + 11, 17));
  const at = centre(spot);
  const aside = spot.form === "under" ? -5 : 0;
  element.setAttribute("class", tileClass(item));
  element.setAttribute("transform", shift(at.x + aside, at.y - aside));
  element.replaceChildren(titleOf(words), body, ...parts);
}

// -- drawing: the table ---------------------------------------------------------------------------------------------

function fieldParts(plan, shown, space) {
  const place = cellPlace(plan, space);
  const item = onBoard(shown, space);
  const at = centre(place);
  const words = `Space ${space}, ${SPACE_NAMES[space]}: ${fieldWords(shown, space)}`;
  const parts = [titleOf(words), box("rrr-cell", place, 10)];
  if (!item) {
    parts.push(label("rrr-number", at.x, at.y + 11, 32, String(space), "middle"));
    if (shown.cancelled.includes(space)) {
      parts.push(make("g", { class: "rrr-muted" }, glyph(SYMBOLS.cancel, place.x + 22, place.y + 22, 24)));
      parts.push(label("rrr-muted-text", at.x, place.y + place.h - 12, plan.text, "no instants", "middle"));
    }
  }
  return group("rrr-field", ...parts);
}

// In the corners that the point of a tile leaves free: the number of its space, and its shield.
function cornerParts(plan, shown) {
  const parts = [];
  for (const item of inPlace(shown, "board").filter(({ face }) => face === "up")) {
    const place = cellPlace(plan, item.index);
    const low = item.owner === 1;
    const y = low ? place.y + place.h - 8 : place.y + plan.text + 2;
    parts.push(label("rrr-corner", place.x + 7, y, plan.text, String(item.index)));
    if (!item.shield) continue;
    const badge = glyph(SYMBOLS.shield, place.x + place.w - 17, low ? place.y + place.h - 18 : place.y + 18, 32);
    badge.setAttribute("class", "rrr-shield");
    parts.push(badge);
  }
  return parts;
}

function slotParts(plan, shown, side) {
  const parts = [];
  for (const seat of [0, 1]) {
    const { x, y, w, h } = plan.hands[seat];
    parts.push(box(`rrr-hand rrr-hand-${seat}`, { x: x - 5, y: y - 5, w: w + 10, h: h + 10 }, 10));
    HOMES[seat].forEach((tile, index) => {
      const place = handPlace(plan, shown, seat, index);
      parts.push(box("rrr-slot", { x: place.x + 4, y: place.y + 4, w: place.w - 8, h: place.h - 8 }, 6));
    });
  }
  shown.zonePlaces.forEach((tile, index) => {
    const place = sidePlace(side, "zone", index);
    parts.push(box("rrr-slot", { x: place.x + 3, y: place.y + 3, w: place.w - 6, h: place.h - 6 }, 6));
  });
  for (const { title, y } of Object.values(side.groups)) {
    parts.push(label("rrr-heading", plan.side.x, y + plan.text, plan.text, title));
  }
  return parts;
}

const LEGEND = [
  ["rotate", "rotate: changes sides"], ["destroy", "destroy: face down"], ["banish", "banish: off at once"],
  ["take", "take a tile"], ["wake", "wake: power again"], ["shield", "shield: untouchable"],
  ["cancel", "cancel instant powers"], ["move", "move a tile"], ["lose", "ally loses the round"],
];

// What the symbols mean, as far as there is room below the groups.
function legendParts(plan, side) {
  const bottom = plan.side.y + plan.side.h;
  const room = Math.floor((bottom - side.end - plan.line) / plan.line);
  if (room < 3) return [];
  const shown = LEGEND.slice(0, room);
  const top = bottom - shown.length * plan.line;
  const narrow = plan.side.w < 200;
  const lines = shown.flatMap(([name, text], number) => {
    const y = top + (number + 0.5) * plan.line;
    const words = narrow ? text.split(":")[0] : text;
    return [glyph(SYMBOLS[name], plan.side.x + 10, y, plan.text + 1),
      label("rrr-muted-text", plan.side.x + plan.text + 13, y + plan.text * 0.35,
        Math.min(plan.text, ((plan.side.w - plan.text - 14) * plan.text) / textWidth(words, plan.text)), words)];
  });
  const heading = label("rrr-heading", plan.side.x, top - 6, plan.text, narrow ? "Powers" : "Powers (ring: one, disc: all)");
  return [group("rrr-muted", heading, ...lines)];
}

function pillWords(shown, seat) {
  if (shown.phase === "OVER") {
    const [mine, yours] = [shown.score[seat], shown.score[1 - seat]];
    return mine === yours ? "draw" : mine > yours ? "winner" : "";
  }
  if (shown.mover !== seat) return shown.result && shown.result.loser !== seat ? "won the round" : "";
  return { PLACE: "to move", PICK: "to pick", NAME: "names the first" }[shown.phase];
}

function scoreWords(shown, seat) {
  const score = shown.score[seat];
  return shown.victory === "POINTS" ? `Points ${score}` : `Rounds ${score} of 2`;
}

function panelParts(plan, shown, seat, name) {
  const place = plan.panels[seat];
  const wide = plan.rows === 1;
  const size = Math.min(place.h - 12, 64);
  const left = place.x + size + 20;
  const active = shown.mover === seat;
  const font = plan.text + (wide ? 3 : 2);
  const pill = pillWords(shown, seat);
  const pillWidth = pill ? textWidth(pill, plan.text) + 18 : 0;
  const room = place.x + place.w - left - (wide ? 8 : Math.max(pillWidth, 130) + 14);
  const emblem = make("g", { class: `rrr-tile rrr-side-${seat}`, transform: shift(place.x + 10 + size / 2, place.y + place.h / 2) },
    titleOf(`${SIDES[seat]} has ${counted(shown.allies[seat], "ally").replace("allys", "allies")}`),
    make("path", { class: "rrr-body", d: outlinePath(seat, size, size, size * 0.2) }),
    label("rrr-name", 0, size * (seat === 0 ? 0.28 : 0.14), size * 0.5, String(shown.allies[seat]), "middle"));
  const role = `Seat ${seat} · ${SIDES[seat]}${shown.first === seat ? " · first" : ""}`;
  const right = place.x + place.w - 10;
  const lines = wide
    ? [place.y + 25, place.y + 47, place.y + 70]
    : [place.y + 23, place.y + 46, place.y + 46];
  const parts = [
    titleOf(`${name}: ${role}, ${scoreWords(shown, seat)}`),
    box(active ? "rrr-panel rrr-active" : "rrr-panel", place, 10), emblem,
    label("rrr-strong", left, lines[0], font, shortened(name, font * 1.06, room)),
    label("rrr-muted-text", left, lines[1], plan.text, role),
    label("rrr-strong", wide ? left : right, lines[2], plan.text, scoreWords(shown, seat), wide ? "start" : "end"),
  ];
  if (pill) {
    const y = wide ? lines[2] : lines[0] - 1;
    parts.push(box("rrr-pill", { x: right - pillWidth, y: y - plan.text - 1, w: pillWidth, h: plan.text + 8 }, 11));
    parts.push(label("rrr-pill-text", right - pillWidth / 2, y, plan.text, pill, "middle"));
  }
  return group("rrr-seat", ...parts);
}

// Nine small points, one for each space: seat 0's from the left, seat 1's from the right.
function majorityParts(plan, shown, y) {
  const { x, w } = plan.status;
  const pitch = w / 9;
  const points = SPACES.map((number) => {
    const owner = number < shown.allies[0] ? 0 : number >= 9 - shown.allies[1] ? 1 : null;
    const kind = owner === null ? "rrr-body rrr-nobody" : "rrr-body";
    const path = make("path", { class: kind, d: outlinePath(owner, pitch - 8, 18, 7) });
    return make("g", { class: `rrr-tile rrr-side-${owner ?? "none"}`, transform: shift(x + (number + 0.5) * pitch, y) }, path);
  });
  return group("rrr-majority", titleOf(`Allies ${shown.allies[0]} : ${shown.allies[1]}; five of nine are a majority`), ...points);
}

function statusParts(plan, shown, done, last, nameOf) {
  const { x, y, w, h } = plan.status;
  const wide = plan.rows === 1;
  const supply = PER_ROUND[shown.setup] ? `, supply ${shown.supply}` : "";
  const goal = goalWords(shown);
  const heading = goal[0].toUpperCase() + goal.slice(1) + (wide ? "" : supply);
  const result = shown.result && !(shown.phase === "OVER" && wide && false) ? [resultWords(shown, nameOf)] : [];
  const task = taskWords(shown, nameOf);
  const moved = moveWords(shown, last, nameOf);
  const most = Math.floor(h / plan.line) - (wide ? 2 : 0);
  const first = [["rrr-strong", heading, 1], ...result.map((text) => ["rrr-text", text, 2])];
  if (wide || shown.phase === "OVER" || shown.phase === "PICK") first.push(["rrr-text", task, 2]);
  const then = moved ? [["rrr-text", wide ? moved : `Last: ${moved}`, 6]] : [];
  then.push(...changeWords(shown, done, nameOf).map((text) => ["rrr-text", text, 2]));
  const lines = (paragraphs, room) => {
    const found = [];
    for (const [kind, text, limit] of paragraphs) {
      for (const line of wrapped(text, plan.text, w, Math.min(limit, room - found.length))) found.push([kind, line]);
    }
    return found;
  };
  const upper = lines(first, most);
  const lower = lines(then, most - upper.length - (wide ? 1 : 0));
  const parts = upper.map(([kind, text], number) => label(kind, x, y + plan.text + number * plan.line, plan.text, text));
  let base = y + plan.text + upper.length * plan.line;
  if (wide) {
    parts.push(majorityParts(plan, shown, base + 2));
    base += 1.5 * plan.line + 4;
    parts.push(label("rrr-heading", x, base, plan.text, last ? "Last move" : ""));
    base += plan.line;
  }
  parts.push(...lower.map(([kind, text], number) => label(kind, x, base + number * plan.line, plan.text, text)));
  return parts;
}

// -- drawing: the last move ------------------------------------------------------------------------------------------

function twoTone(kind, tag, attributes) {
  return ["rrr-mark-under", "rrr-mark-over"].map((tone) => make(tag, { class: `${tone} ${kind}`, ...attributes }));
}

function outlineMark(kind, { x, y, w, h }, inset = 2) {
  return twoTone(kind, "rect", {
    x: rounded(x + inset), y: rounded(y + inset), width: rounded(w - 2 * inset), height: rounded(h - 2 * inset), rx: 9,
  });
}

// A badge on the edge at which the effect enters its target, pointing there.
function badgeMark(plan, { kind, space, from }) {
  const [begin, end] = [centre(cellPlace(plan, from)), centre(cellPlace(plan, space))];
  const far = Math.max(Math.abs(end.x - begin.x), Math.abs(end.y - begin.y)) || 1;
  const half = (plan.cell + plan.gap) / 2;
  const entry = { x: end.x - ((end.x - begin.x) / far) * half, y: end.y - ((end.y - begin.y) / far) * half };
  const angle = rounded((Math.atan2(end.y - begin.y, end.x - begin.x) * 180) / Math.PI);
  const parts = [];
  if (far > 1.5 * half * 2 - half || kind === "move") {
    const start = { x: begin.x + ((end.x - begin.x) / far) * half, y: begin.y + ((end.y - begin.y) / far) * half };
    const path = `M${rounded(start.x)} ${rounded(start.y)}L${rounded(entry.x)} ${rounded(entry.y)}`;
    parts.push(...twoTone("rrr-link", "path", { d: path }));
  }
  const drop = make("path", { class: "rrr-badge", d: "M9 -12L23 0L9 12A15 15 0 1 1 9 -12Z", transform: `rotate(${angle})` });
  const turn = kind === "move" ? ` rotate(${angle})` : "";
  const symbol = make("g", { transform: `translate(0 0)${turn}` }, glyph(SYMBOLS[kind], 0, 0, 20));
  return [...parts, make("g", { class: "rrr-badge-group", transform: shift(entry.x, entry.y) }, drop, symbol)];
}

function markParts(plan, shown, side, spots, done) {
  const parts = [];
  if (done.origin?.place === "area") parts.push(...outlineMark("rrr-dashed", handPlace(plan, shown, done.origin.owner, done.origin.index), 4));
  if (done.origin?.place === "zone") parts.push(...outlineMark("rrr-dashed", sidePlace(side, "zone", done.origin.index), 4));
  const left = done.marks.filter(({ kind }) => kind === "banish" || kind === "take").map(({ space }) => space);
  left.push(...done.marks.filter(({ kind }) => kind === "move").map(({ from }) => from));
  for (const space of left) parts.push(...outlineMark("rrr-dashed", cellPlace(plan, space)));
  if (done.placed !== null && !left.includes(done.placed)) parts.push(...outlineMark("rrr-firm", cellPlace(plan, done.placed)));
  for (const { space } of done.marks.filter(({ kind }) => kind === "move")) parts.push(...outlineMark("rrr-firm", cellPlace(plan, space)));
  if (done.chosen) parts.push(...outlineMark("rrr-firm", spots.get(done.chosen.key)));
  for (const mark of done.marks) parts.push(...badgeMark(plan, mark));
  return parts;
}

// -- drawing: the whole ----------------------------------------------------------------------------------------------

const LAYERS = ["rrr-ground", "rrr-slots", "rrr-things", "rrr-corners", "rrr-marks", "rrr-panels"];

function layersIn(svg) {
  let root = svg.querySelector(":scope > g.game-rrr");
  if (!root) {
    root = group("game-rrr", ...LAYERS.map((name) => group(name)));
    svg.append(root);
  }
  return Object.fromEntries(LAYERS.map((name, number) => [name.slice(4), root.children[number]]));
}

// The tile that moved last is drawn last, so that it passes over the others.
function inDrawingOrder(shown, last) {
  const moved = tileName(last?.move?.place?.tile);
  return [...shown.things].sort((one, other) => Number(one.tile === moved && moved !== null) - Number(other.tile === moved && moved !== null));
}

function animateTile(element, item, spot, before, was, duration) {
  const timing = { duration, easing: "ease-in-out" };
  if (!before) {
    element.animate([{ opacity: 0 }, { opacity: 1 }], timing);
    return;
  }
  const [from, to] = [centre(was), centre(spot)];
  if (from.x !== to.x || from.y !== to.y) {
    const move = (x, y, scale) => `translate(${rounded(x)}px, ${rounded(y)}px) scale(${rounded(scale)})`;
    const frames = [{ transform: move(from.x, from.y, was.w / spot.w) }, { transform: move(to.x, to.y, 1) }];
    element.animate(frames, timing);
  }
  if (before.owner !== item.owner && before.place === "board" && item.place === "board") {
    element.querySelector(".rrr-body").animate([{ transform: "rotate(180deg)" }, { transform: "rotate(0deg)" }], timing);
  }
}

function drawThings(layer, plan, shown, spots, last) {
  const known = new Map([...layer.children].map((element) => [element.getAttribute("data-key"), element]));
  const elements = inDrawingOrder(shown, last).map((item) => {
    const element = known.get(item.key) ?? make("g", { class: "", transform: "", "data-key": item.key });
    drawTile(element, item, spots.get(item.key), plan, itemWords(shown, item));
    return [item, element];
  });
  layer.replaceChildren(...elements.map(([, element]) => element));
  return elements;
}

function animateThings(elements, plan, spots, previous, duration) {
  const before = new Map(previous.things.map((item) => [item.key, item]));
  const were = spotsOf(plan, previous);
  for (const [item, element] of elements) {
    animateTile(element, item, spots.get(item.key), before.get(item.key), were.get(item.key), duration);
  }
}

function draw(svg, shown, previous, options) {
  const plan = LAYOUTS[options.layout] ?? LAYOUTS.wide;
  const last = options.last ?? null;
  const names = [0, 1].map((seat) => options.names?.[seat] || `Seat ${seat}`);
  const nameOf = (seat) => shortened(names[seat], plan.text, plan.text * 9);
  const layers = layersIn(svg);
  const spots = spotsOf(plan, shown);
  const side = sidePlan(plan, shown);
  const done = lastOf(shown, last);
  svg.setAttribute("viewBox", `0 0 ${plan.w} ${plan.h}`);
  for (const animation of layers.things.getAnimations({ subtree: true })) animation.cancel();
  const span = 3 * plan.cell + 2 * plan.gap + 12;
  layers.ground.replaceChildren(
    box("rrr-table", { x: 0, y: 0, w: plan.w, h: plan.h }, 14),
    box("rrr-board", { x: plan.board.x - 6, y: plan.board.y - 6, w: span, h: span }, 14),
    ...SPACES.map((space) => fieldParts(plan, shown, space)),
  );
  layers.slots.replaceChildren(...slotParts(plan, shown, side), ...legendParts(plan, side));
  const elements = drawThings(layers.things, plan, shown, spots, last);
  layers.corners.replaceChildren(...cornerParts(plan, shown));
  layers.marks.replaceChildren(...markParts(plan, shown, side, spots, done));
  layers.panels.replaceChildren(
    panelParts(plan, shown, 1, names[1]), panelParts(plan, shown, 0, names[0]),
    ...statusParts(plan, shown, done, last, nameOf),
  );
  if (previous && options.duration > 0) animateThings(elements, plan, spots, previous, options.duration);
}

export { scene, draw, say };
