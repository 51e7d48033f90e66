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
  HIEROPHANT: "KING",
  CARDINAL: "QUEEN",
  SAINT: "PRINCESS",
  BISHOP: "MINISTER",
  PALADIN: "GENERAL",
  MONK: "SORCERER",
  TEMPLE: "CASTLE",
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
  "top left",
  "top middle",
  "top right",
  "middle left",
  "centre",
  "middle right",
  "bottom left",
  "bottom middle",
  "bottom right",
];

// -- the scene: what lies where, the same for a State and for an Observation ------------------------------------

const PER_ROUND = { NEUTRAL_ZONE: 5, FIRST_GAME: 0, RANDOM: 4, SECRET_RANDOM: 4, DRAFT: 5, SECRET_DRAFT: 8 };
const SETUP_NAMES = {
  NEUTRAL_ZONE: "neutral zone",
  FIRST_GAME: "first game",
  RANDOM: "random tiles",
  SECRET_RANDOM: "secret random tiles",
  DRAFT: "draft",
  SECRET_DRAFT: "secret draft",
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
  const reached = (space) => (shaman >= 0 && isOrthogonal(shaman, space)) || (witch >= 0 && isDiagonal(witch, space));
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
    mover: phase === "OVER" ? null : (message.mover ?? 0),
    lastMover: events.length ? (events[events.length - 1].seat ?? 0) : null,
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
    thing(tile, "hidden", begin + place, { owner: seat, secret: true }),
  );
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
      ...view.offer.map((tile, place) => thing(tile, "offer", place)),
      ...view.discard.map((tile, place) => thing(tile, "discard", place)),
      ...view.banished.map((tile, place) => thing(tile, "banished", place)),
    ],
  };
}

const inPlace = (shown, place, owner = null) =>
  shown.things.filter((item) => item.place === place && (owner === null || item.owner === owner));
const onBoard = (shown, space) => shown.things.find((item) => item.place === "board" && item.index === space);

// -- words -----------------------------------------------------------------------------------------------------

const capitalised = (text) => text[0].toUpperCase() + text.slice(1);
const seatWords = (seat) => `seat ${seat} (${SIDES[seat]})`;
const called = (item) => (item.tile ? titled(item.tile) : "a hidden tile");

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
  if (shown.phase === "NAME") return `${who} names who begins round ${shown.round + 1}`;
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
  const heading = capitalised(`${taskWords(shown, seatWords)}; ${goalWords(shown)}, ${score}`);
  const listed = (items) =>
    items.map((item) =>
      item.tile ? `${called(item)}${item.secret ? " (hidden)" : ""}, ${TEXTS[twin(item.tile)]}` : "a hidden tile",
    );
  const state = [
    `Allies: seat 0 has ${shown.allies[0]}, seat 1 has ${shown.allies[1]}`,
    `First player of the round: ${seatWords(shown.first)}`,
    `Neutral tiles: ${SETUP_NAMES[shown.setup]}; ${shown.supply} left in the supply`,
    ...(shown.result ? [capitalised(resultWords(shown, seatWords))] : []),
  ];
  const lists = [{ title: "State of the round", items: state }];
  for (const seat of [0, 1]) {
    const items = listed([...inPlace(shown, "area", seat), ...inPlace(shown, "hidden", seat)]);
    lists.push({ title: `Area of ${seatWords(seat)}`, items: items.length ? items : ["no tiles"] });
  }
  for (const [place, title] of [
    ["zone", "Neutral zone"],
    ["offer", "On offer"],
    ["discard", "Discard"],
    ["banished", "Banished"],
  ]) {
    const items = listed(inPlace(shown, place));
    if (items.length) lists.push({ title, items });
  }
  const fields = SPACES.map((space) => `${space}: ${fieldWords(shown, space)}`);
  const rows = [0, 3, 6].map((begin, number) => [
    ["top", "middle", "bottom"][number],
    ...fields.slice(begin, begin + 3),
  ]);
  return {
    heading,
    lists,
    table: { caption: "The board; seat 1 sits above, seat 0 below", head: ["row", "left", "middle", "right"], rows },
  };
}

// -- what the last move did ------------------------------------------------------------------------------------

const DIRECTIONS = {
  UP: [-1, 0],
  UP_RIGHT: [-1, 1],
  RIGHT: [0, 1],
  DOWN_RIGHT: [1, 1],
  DOWN: [1, 0],
  DOWN_LEFT: [1, -1],
  LEFT: [0, -1],
  UP_LEFT: [-1, -1],
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
  const used = ["target", "direction", "neighbours", "every", "shift", "chosen", "hidden_place"].some(
    (name) => name in place,
  );
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
  const taken = shown.things.some(
    (item) => TAKERS.includes(item.tile) && item.tile !== tile && !["zone", "offer"].includes(item.place),
  );
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

function changeWords(shown, done) {
  const turned = [0, 1].map((seat) =>
    done.marks
      .filter(({ kind, space }) => kind === "rotate" && onBoard(shown, space).owner === seat)
      .map(({ space }) => called(onBoard(shown, space))),
  );
  return turned.flatMap((tiles, seat) => (tiles.length ? [`Turned to ${SIDES[seat]}: ${tiles.join(", ")}`] : []));
}

function moveWords(shown, last, nameOf) {
  if (!last) return shown.placements || shown.round > 1 ? "" : "The match begins.";
  if (last.move && isSecret(shown, last)) return `${nameOf(last.seat)} keeps a tile in secret`;
  const lead = `${seatWords(last.seat ?? 0)} `;
  if (!last.text) return `${nameOf(last.seat ?? 0)} has moved`;
  return last.text.startsWith(lead) ? `${SIDES[last.seat ?? 0]} ${last.text.slice(lead.length)}` : last.text;
}

// -- icons: paths on a grid of 24 by 24; the first is stroked, the second filled -------------------------------

const dot = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
const beads = [...Array(9).keys()]
  .map((number) => {
    const angle = ((number + 0.5) / 9) * 2 * Math.PI + Math.PI / 2;
    return dot(Number((12 + 6.5 * Math.cos(angle)).toFixed(1)), Number((9 + 6.5 * Math.sin(angle)).toFixed(1)), 1.5);
  })
  .join("");
const SHIELD = "M12 2.5 20 5.5v5.5c0 5-3.4 8.6-8 10.5-4.6-1.9-8-5.5-8-10.5V5.5z";
const ICONS = {
  KING: ["M5 19.5h14M4.5 16 3 6.5l5 4.5 4-7 4 7 5-4.5L19.5 16z", dot(12, 13, 1.2)],
  QUEEN: [
    "M6 19.5h12M6 16 3.5 8.5 8.5 12 12 6l3.5 6 5-3.5L18 16z",
    dot(3.5, 7, 1.6) + dot(12, 4.4, 1.8) + dot(20.5, 7, 1.6),
  ],
  PRINCESS: [
    "M3 17c6-3 12-3 18 0M3 17l2-6.5 4 3L12 8l3 5.5 4-3 2 6.5",
    dot(12, 5, 2) + dot(5, 8.5, 1.3) + dot(19, 8.5, 1.3),
  ],
  MINISTER: [
    "M8 4h11v12M8 4a2.5 2.5 0 0 0-5 0v3h5M8 4v14a2.5 2.5 0 0 0 5 0v-2h8.5v2a2.5 2.5 0 0 1-2.5 2.5h-8.5" +
      "M11.5 8h4.5M11.5 12h4.5",
    "",
  ],
  GENERAL: ["M4 3.5 15.5 15M20 3.5 8.5 15M13 18.5l5.5-5.5M5.5 13l5.5 5.5M16 16l4.5 4.5M8 16l-4.5 4.5", ""],
  SORCERER: [
    "M3.5 20.5 12.5 11.5",
    "M16 2l1.5 4.5L22 8l-4.5 1.5L16 14l-1.5-4.5L10 8l4.5-1.5z" + "M6 3l.8 2.2L9 6l-2.2.8L6 9l-.8-2.2L3 6l2.2-.8z",
  ],
  CASTLE: ["M4 20.5V5h3.5v3h2.7V5h3.6v3h2.7V5H20v15.5zM10 20.5v-4.5a2 2 0 0 1 4 0v4.5M4 12h16", ""],
  HIEROPHANT: ["M12 2.5v19M9.5 6h5M8 10h8M6 14h12", ""],
  CARDINAL: [
    "M2 12.5c0 2.5 20 2.5 20 0M7 13c0-5.5 2-8.5 5-8.5s5 3 5 8.5M5.5 14.5v3.5M18.5 14.5v3.5",
    dot(5.5, 19.5, 1.8) + dot(18.5, 19.5, 1.8),
  ],
  SAINT: [
    "M6.5 4.5a5.5 2 0 1 0 11 0a5.5 2 0 1 0-11 0M9 11a3 3 0 1 0 6 0a3 3 0 1 0-6 0M5.5 21c0-4 2.6-5.5 6.5-5.5" +
      "s6.5 1.5 6.5 5.5z",
    "",
  ],
  BISHOP: ["M6 20.5C5 15 6 9 12 2.5c6 6.5 7 12.5 6 18zM6 17h12M12 7v7M9 10h6", ""],
  PALADIN: ["M5.5 5.5c4-3 9-3 13 0v9c0 3-3 6-6.5 7-3.5-1-6.5-4-6.5-7zM5.5 10h13M12 6.5V18", ""],
  MONK: ["M12 15.5v6M9.8 18h4.4", beads],
  TEMPLE: ["M3 9 12 3.5 21 9zM3 20.5h18M5.5 9v9M10 9v9M14 9v9M18.5 9v9M4 18h16", ""],
  CITIZEN: ["M8 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0M4.5 21c0-5 3-7.5 7.5-7.5s7.5 2.5 7.5 7.5z", ""],
  ASSASSIN: ["M12 22l-2.5-4.5V9h5v8.5zM6.5 9h11M12 9V4", dot(12, 3.5, 1.6)],
  PIRATE: [
    "M12 2.5a6 6 0 0 0-6 6c0 2 1 3.5 2.5 4.5v2.5h7V13c1.5-1 2.5-2.5 2.5-4.5a6 6 0 0 0-6-6z" +
      "M4 16.5l16 5M20 16.5l-16 5",
    dot(9.6, 8.8, 1.4) + dot(14.4, 8.8, 1.4),
  ],
  FAIRY: [
    "M12 8.5V19M12 11C10 4.5 3 3 3.5 8c.4 3.6 4.5 5 8.5 4M12 11c2-6.5 9-8 8.5-3-.4 3.6-4.5 5-8.5 4" +
      "M12 13c-4.5.5-6.5 3-5 5.5s4.5.5 5-3M12 13c4.5.5 6.5 3 5 5.5s-4.5.5-5-3",
    dot(12, 6.5, 1.7),
  ],
  REAPER: ["M7.5 21.5 17 4M12.5 12l3 1.6", "M17.5 2.5C11 1.5 5 4.5 2.5 11.5c4-4 8.5-5.5 13.5-5.5z"],
  SEER: [
    "M2 12s3.8-6.5 10-6.5S22 12 22 12s-3.8 6.5-10 6.5S2 12 2 12zM12 1.5v1.5M5 3.5l1 1.5M19 3.5l-1 1.5",
    dot(12, 12, 3.2),
  ],
  DRAGON: [
    "M3 13.5l5.5-1.5L10 8 7.5 3.5 13 6l3.5-3.5-.5 5c3.5 2.5 5.5 7 5 13.5" +
      "-1.5-3-4-4.5-7-4.5-2 0-3.5 1.2-6 1.2-2.5 0-4-1.2-5-4z",
    dot(13, 10, 1.3),
  ],
  SHAMAN: [
    "M6 6.5h12v5.5c0 5-3 8-6 9.5-3-1.5-6-4.5-6-9.5z" +
      "M9 6.5 7.5 2M12 6.5V2M15 6.5 16.5 2M8.5 11l2.5 1M15.5 11 13 12M9.5 16.5h5",
    "",
  ],
  WITCH: ["M1.5 19.5c6.5-2 14.5-2 21 0M6 18 11.5 3.5l3 1.5 3.5.5-3 2.5 3 10M8 13.5c2.6-1 5.5-1 8.5 0", ""],
  SAMURAI: [
    "M4.5 13.5a7.5 7.5 0 0 1 15 0M2 17.5l3-4h14l3 4-3 3.5-2-3H7l-2 3zM12 8.5 6.5 2M12 8.5 17.5 2",
    dot(12, 9.5, 1.8),
  ],
  NINJA: ["M12 2l2.7 7.3L22 12l-7.3 2.7L12 22l-2.7-7.3L2 12l7.3-2.7z", dot(12, 12, 1.6)],
  BARD: ["M9 18V5.5L20 3v12.5M9 9.5 20 7", dot(6.2, 18, 2.9) + dot(17.2, 15.5, 2.9)],
  ARTIST: [
    "M12 3a9 9 0 1 0 0 18c2.2 0 2.4-1.6 1.7-2.8-.8-1.5 0-3 2-3H18a3 3 0 0 0 3-3C21 7 17 3 12 3z",
    dot(7.5, 12.5, 1.4) + dot(9.5, 8, 1.4) + dot(14, 7, 1.4) + dot(17.3, 10.2, 1.4),
  ],
  SAGE: [
    "M12 6C9 4 6 4 2.5 5v14c3.5-1 6.5-1 9.5 1 3-2 6-2 9.5-1V5C18 4 15 4 12 6zM12 6v14" +
      "M5.5 9c1.5-.3 2.5-.2 4 .3M5.5 13c1.5-.3 2.5-.2 4 .3M18.5 9c-1.5-.3-2.5-.2-4 .3M18.5 13c-1.5-.3-2.5-.2-4 .3",
    "",
  ],
  TOWER: ["M7.5 21.5V10h9v11.5zM6 10V3.5h2.7V6h2V3.5h2.6V6h2V3.5H18V10zM12 13v3", ""],
  ADVENTURER: [
    "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21",
    "M16.5 7.5l-3 6-6 3 3-6z",
  ],
  HERMIT: [
    "M12 5V2M8 8.5 9.5 5h5L16 8.5zM7.5 8.5v9.5h9V8.5zM6 21h12M6.5 18 6 21M17.5 18l.5 3",
    "M12 10.5c2.5 2.5 2 5.5 0 5.5s-2.5-3 0-5.5z",
  ],
  MAGICIAN: [
    "M2.5 18.5c3 2 16 2 19 0M7 18.5 6 8.5c3 1.2 9 1.2 12 0l-1 10M6.7 15c3 1.2 7.6 1.2 10.6 0",
    "M12 .5l.9 2.6L15.5 4l-2.6.9L12 7.5l-.9-2.6L8.5 4l2.6-.9z",
  ],
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
  lose: [
    "M12 3a7 7 0 0 0-7 7c0 2.5 1.2 4 3 5v3.5h8V15c1.8-1 3-2.5 3-5a7 7 0 0 0-7-7zM10.7 18.5V16M13.3 18.5V16",
    dot(9.3, 10.2, 1.7) + dot(14.7, 10.2, 1.7),
  ],
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
  const parts = [
    ["rrr-line", paths[0]],
    ["rrr-solid", paths[1]],
  ].filter(([, path]) => path);
  const attributes = { transform: `${shift(x - size / 2, y - size / 2)} scale(${scale})` };
  return make("g", attributes, ...parts.map(([kind, path]) => make("path", { class: kind, d: path })));
}

function charWidth(char) {
  if (char.codePointAt(0) > 0x10ff) return 1;
  if ("iljtfrI.,:;'|!()[] ".includes(char)) return 0.33;
  if ("mwMW@%".includes(char)) return 0.88;
  return /[A-Z0-9_]/.test(char) ? 0.68 : 0.56;
}

const BOLD = 1.06;
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
  if (kind === "line") {
    return make("path", { class: "rrr-line rrr-thin", d: `M${0.62 * x} ${0.62 * y}L${1.1 * x} ${1.1 * y}` });
  }
  if (kind === "either" && isDiagonal(4, space)) {
    const diamond = `M${x - size} ${y}L${x} ${y - size}L${x + size} ${y}L${x} ${y + size}Z`;
    return make("path", { class: "rrr-solid", d: diamond });
  }
  const filled = kind === "all" || kind === "either";
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
    w: 1000,
    h: 640,
    text: 16,
    line: 20,
    cell: 132,
    gap: 8,
    board: { x: 294, y: 114 },
    columns: [8, 10],
    rows: 1,
    hands: [
      { x: 16, y: 538, w: 968, h: 90 },
      { x: 16, y: 12, w: 968, h: 90 },
    ],
    panels: [
      { x: 16, y: 444, w: 262, h: 82 },
      { x: 16, y: 114, w: 262, h: 82 },
    ],
    status: { x: 16, y: 204, w: 262, h: 232 },
    side: { x: 722, y: 114, w: 262, h: 412 },
    legend: null,
    forms: [
      { zone: ["card", 3, 82], rest: ["row", 2, 34] },
      { zone: ["card", 3, 82], rest: ["mini", 6, 39] },
    ],
  },
  portrait: {
    w: 600,
    h: 1068,
    text: 19.6,
    line: 23.2,
    cell: 126,
    gap: 7,
    board: { x: 8, y: 212 },
    columns: [4, 5],
    rows: 2,
    hands: [
      { x: 8, y: 612, w: 584, h: 134 },
      { x: 8, y: 70, w: 584, h: 134 },
    ],
    panels: [
      { x: 8, y: 752, w: 584, h: 58 },
      { x: 8, y: 6, w: 584, h: 58 },
    ],
    status: { x: 8, y: 817, w: 584, h: 122 },
    side: { x: 412, y: 212, w: 180, h: 392 },
    legend: { x: 8, y: 942, w: 584, h: 120 },
    forms: [
      { zone: ["row", 1, 38], rest: ["row", 1, 38] },
      { zone: ["row", 1, 38], rest: ["mini", 4, 40] },
      { zone: ["row", 1, 38], rest: ["mini", 6, 26] },
    ],
  },
};
const SLOT_GAP = 6;
// In these set-ups a seat seldom has more than its own tiles and the Citizen.
const SHARED = ["NEUTRAL_ZONE", "FIRST_GAME"];

const centre = ({ x, y, w, h }) => ({ x: x + w / 2, y: y + h / 2 });

function gridPlace(area, columns, height, index, gap = SLOT_GAP) {
  const w = (area.w - gap * (columns - 1)) / columns;
  const [down, right] = [Math.floor(index / columns), index % columns];
  return { x: area.x + right * (w + gap), y: area.y + down * (height + gap), w, h: height };
}

function cellPlace(plan, space) {
  const pitch = plan.cell + plan.gap;
  return {
    x: plan.board.x + (space % 3) * pitch,
    y: plan.board.y + Math.floor(space / 3) * pitch,
    w: plan.cell,
    h: plan.cell,
  };
}

function handPlace(plan, shown, seat, index) {
  const taken = [...inPlace(shown, "area", seat), ...inPlace(shown, "hidden", seat)].map((item) => item.index);
  const expected = plan.columns[SHARED.includes(shown.setup) ? 0 : 1];
  const columns = Math.max(expected, Math.ceil((Math.max(0, ...taken) + 1) / plan.rows));
  const area = plan.hands[seat];
  return gridPlace(area, columns, (area.h - SLOT_GAP * (plan.rows - 1)) / plan.rows, index);
}

// The groups beside the board, from the top down, in the first forms that fit.
function sidePlan(plan, shown) {
  const counts = { zone: shown.zonePlaces.length };
  for (const place of ["offer", "discard", "banished"]) counts[place] = inPlace(shown, place).length;
  const titles = {
    zone: "Neutral zone",
    offer: shown.setup === "SECRET_DRAFT" ? "Secret draft" : "Draft",
    discard: "Discard",
    banished: "Banished",
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

const nameSize = (item, size, width) => Math.min(size, width / textWidth(titled(item.tile), BOLD));

function cellParts(item, plan, w, h) {
  const lean = item.owner === null ? 0 : (item.owner === 0 ? 1 : -1) * 5;
  const font = nameSize(item, plan.text + 3, w - 12);
  const name = (y) => label("rrr-name", 0, y + lean, font, titled(item.tile), "middle");
  const pair = (y) => {
    const power = powerMark(item, w * 0.22, y + lean, w * 0.36);
    return [glyph(ICONS[item.tile], power.length ? -w * 0.2 : 0, y + lean, w * 0.4), ...power];
  };
  if (item.face === "down") {
    const note = (number, text) => label("rrr-note", 0, h * 0.06 + number * plan.line, plan.text, text, "middle");
    return [
      glyph(SYMBOLS.destroy, 0, -h * 0.26, 34),
      name(h * 0.06),
      note(1, "down until"),
      note(2, `seat ${item.destroyer}'s turn`),
    ];
  }
  if (!item.covers) return [...pair(-h * 0.12), name(h * 0.27)];
  const under = label("rrr-note", 0, h * 0.14 + plan.line + lean, plan.text, `on ${titled(item.covers)}`, "middle");
  return [...pair(-h * 0.21), name(h * 0.14), under];
}

function cardParts(item, plan, w, h) {
  const lean = item.owner === null ? 0 : (item.owner === 0 ? 1 : -1) * 3;
  const hidden = item.secret && item.tile;
  const size = Math.min(h - plan.text - 14, 46, w * (hidden ? 0.33 : 0.46));
  const top = -h / 2 + (h - plan.text - 8) / 2 + lean;
  const power = powerMark(item, w * (hidden ? 0.07 : 0.23), top, Math.min(size + 3, w * 0.4));
  const icon = glyph(ICONS[item.tile], power.length ? -w * (hidden ? 0.29 : 0.22) : 0, top, size);
  const eye = hidden ? [glyph(SYMBOLS.secret, w * 0.37, top, plan.text + 1)] : [];
  const bottom = h / 2 - 10 + lean;
  return [
    icon,
    ...power,
    ...eye,
    label("rrr-name", 0, bottom, nameSize(item, plan.text, w - 5), titled(item.tile), "middle"),
  ];
}

function rowParts(item, plan, w, h) {
  const size = h - 8;
  const room = w - size - 14;
  const fits = nameSize(item, plan.text, room - size - 4) === plan.text;
  const power = fits && w > 150 ? powerMark(item, w / 2 - size / 2 - 4, 0, size) : [];
  const font = nameSize(item, plan.text, room);
  return [
    glyph(ICONS[item.tile], -w / 2 + 5 + size / 2, 0, size),
    ...power,
    label("rrr-name", -w / 2 + size + 10, font * 0.35, font, titled(item.tile)),
  ];
}

const PARTS = {
  cell: cellParts,
  card: cardParts,
  row: rowParts,
  under: () => [],
  mini: (item, _plan, w, h) => [glyph(ICONS[item.tile], 0, 0, Math.min(w, h) - 8)],
};

function backParts(plan, w, h) {
  const [x, y] = [w / 2 - 6, h / 2 - 6];
  const size = Math.min(x, y) * 0.8;
  return [
    make("path", { class: "rrr-ornament", d: `M${-x} ${-y}H${x}V${y}H${-x}Z` }),
    make("path", { class: "rrr-ornament", d: `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z` }),
    label("rrr-name", 0, plan.text * 0.36, plan.text, "?", "middle"),
  ];
}

function drawTile(element, item, spot, plan, words) {
  const onField = spot.form === "cell" || spot.form === "under";
  const inset = onField ? (item.face === "down" ? 6 : 10) : 2;
  const [w, h] = [spot.w - inset, spot.h - inset];
  const peak = onField ? plan.text + 5 : spot.form === "card" ? 9 : 5;
  const pointed = item.face === "up" && spot.form !== "mini" ? item.owner : null;
  const body = make("path", { class: "rrr-body", d: outlinePath(pointed, w, h, peak) });
  const parts = item.face === "back" ? backParts(plan, w, h) : PARTS[spot.form](item, plan, w, h);
  const at = centre(spot);
  const aside = spot.form === "under" ? -4 : 0;
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
  if (item?.face === "up") {
    // The point of a tile leaves two corners of its space free.
    const y = item.owner === 1 ? place.y + place.h - 9 : place.y + plan.text + 4;
    parts.push(label("rrr-corner", place.x + 9, y, plan.text, String(space)));
  } else if (!item) {
    parts.push(label("rrr-number", at.x, at.y + 11, 32, String(space), "middle"));
  }
  if (!item && shown.cancelled.includes(space)) {
    parts.push(group("rrr-muted", glyph(SYMBOLS.cancel, place.x + 22, place.y + 22, 24)));
    parts.push(label("rrr-muted-text", at.x, place.y + place.h - 12, plan.text, "no instants", "middle"));
  }
  return group("rrr-field", ...parts);
}

function shieldParts(plan, shown) {
  return inPlace(shown, "board")
    .filter((item) => item.shield)
    .map((item) => {
      const place = cellPlace(plan, item.index);
      const y = item.owner === 1 ? place.y + place.h - 18 : place.y + 18;
      const badge = glyph(SYMBOLS.shield, place.x + place.w - 17, y, 32);
      badge.setAttribute("class", "rrr-shield");
      return badge;
    });
}

function slotParts(plan, shown, side) {
  const parts = [];
  for (const seat of [0, 1]) {
    const { x, y, w, h } = plan.hands[seat];
    parts.push(box(`rrr-hand rrr-hand-${seat}`, { x: x - 5, y: y - 5, w: w + 10, h: h + 10 }, 10));
    HOMES[seat].forEach((_tile, index) => {
      if (inPlace(shown, "area", seat).some((item) => item.index === index)) return;
      const place = handPlace(plan, shown, seat, index);
      parts.push(box("rrr-slot", { x: place.x + 4, y: place.y + 4, w: place.w - 8, h: place.h - 8 }, 6));
    });
  }
  shown.zonePlaces.forEach((_tile, index) => {
    if (inPlace(shown, "zone").some((item) => item.index === index)) return;
    const place = sidePlace(side, "zone", index);
    parts.push(box("rrr-slot", { x: place.x + 3, y: place.y + 3, w: place.w - 6, h: place.h - 6 }, 6));
  });
  if (plan.rows === 1 && PER_ROUND[shown.setup]) {
    const alone = Object.keys(side.groups).length === 0;
    const x = plan.side.x + (alone ? 0 : plan.side.w);
    const text = alone ? `Supply ${shown.supply}, no neutral zone` : `Supply ${shown.supply}`;
    const supply = label("rrr-muted-text", x, plan.side.y + plan.text, plan.text, text, alone ? "start" : "end");
    supply.append(titleOf("Neutral tiles that were not drawn yet"));
    parts.push(supply);
  }
  for (const { title, y } of Object.values(side.groups)) {
    parts.push(label("rrr-heading", plan.side.x, y + plan.text, plan.text, title));
  }
  return parts;
}

const LEGEND = [
  ["rotate", "rotate", ": it changes sides"],
  ["destroy", "destroy", ": down, then off"],
  ["banish", "banish", ": off at once"],
  ["take", "take", " into the own area"],
  ["wake", "wake", ": power works again"],
  ["shield", "shield", ": cannot be touched"],
  ["cancel", "cancel", " instant powers"],
  ["move", "move", " to a free space"],
  ["lose", "loses", " the round at its end"],
];
const LEGEND_TITLE = "Powers: \u25cb one, \u25cf all";
const LEGEND_ROWS = LEGEND.length + 1;

// What the symbols mean, all of them: with room of its own, or below the groups, and there in short if there is little.
function legendParts(plan, side) {
  const { x, y, w, h } = plan.side;
  const room = Math.floor((y + h - side.end) / plan.line);
  const below = (rows) => ({ x, y: y + h - rows * plan.line, w, h: rows * plan.line });
  if (plan.legend) return [legendGrid(plan, plan.legend, 2, false)];
  if (room >= LEGEND_ROWS) return [legendGrid(plan, below(Math.min(room, 1.6 * LEGEND_ROWS)), 1, false)];
  return room >= LEGEND_ROWS / 2 ? [legendGrid(plan, below(LEGEND_ROWS / 2), 2, true)] : [];
}

function legendGrid(plan, { x, y, w, h }, columns, short) {
  const rows = LEGEND_ROWS / columns;
  const down = plan.text * 0.35;
  const cell = (number) => [x + Math.floor(number / rows) * (w / columns), y + ((number % rows) + 0.5) * (h / rows)];
  const lines = LEGEND.flatMap(([name, word, more], number) => {
    const [left, middle] = cell(number + 1);
    return [
      glyph(SYMBOLS[name], left + 11, middle, plan.text + 2),
      label("rrr-muted-text", left + plan.text + 15, middle + down, plan.text, short ? word : word + more),
    ];
  });
  const [left, middle] = cell(0);
  const title = label("rrr-heading", left, middle + down, plan.text, short ? "Powers" : LEGEND_TITLE);
  return group("rrr-muted", title, ...lines);
}

function pillWords(shown, seat) {
  if (shown.phase === "OVER") {
    const [mine, yours] = [shown.score[seat], shown.score[1 - seat]];
    return mine === yours ? "draw" : mine > yours ? "winner" : "";
  }
  if (shown.mover !== seat) return shown.result && shown.result.loser !== seat ? "won" : "";
  return { PLACE: "to move", PICK: "to pick", NAME: "to name" }[shown.phase];
}

function scoreWords(shown, seat) {
  const score = shown.score[seat];
  return shown.victory === "POINTS" ? `Points ${score}` : `Rounds ${score} of 2`;
}

// Points as a number, rounds as two pips.
function scoreParts(plan, shown, seat, x, y) {
  if (shown.victory === "POINTS") return [label("rrr-strong", x, y, plan.text, scoreWords(shown, seat))];
  const start = x + textWidth("Rounds", plan.text) + plan.text;
  const pips = [0, 1].map((number) =>
    make("circle", {
      class: number < shown.score[seat] ? "rrr-pip rrr-won" : "rrr-pip",
      cx: rounded(start + number * (plan.text + 4)),
      cy: rounded(y - plan.text * 0.36),
      r: rounded(plan.text * 0.4),
    }),
  );
  return [label("rrr-strong", x, y, plan.text, "Rounds"), ...pips];
}

function emblemParts(place, shown, seat, size) {
  const at = shift(place.x + 9 + size / 2, place.y + place.h / 2);
  const allies = shown.allies[seat];
  return make(
    "g",
    { class: `rrr-tile rrr-side-${seat}`, transform: at },
    titleOf(`${SIDES[seat]} has ${allies} ${allies === 1 ? "ally" : "allies"} on the board`),
    make("path", { class: "rrr-body", d: outlinePath(seat, size, size, size * 0.2) }),
    label("rrr-name", 0, size * (seat === 0 ? 0.28 : 0.13), size * 0.5, String(allies), "middle"),
  );
}

function pillParts(plan, text, right, y) {
  if (!text) return [];
  const w = textWidth(text, plan.text) + 15;
  return [
    box("rrr-pill", { x: right - w, y: y - plan.text - 1, w, h: plan.text + 7 }, rounded(plan.text / 2 + 3)),
    label("rrr-pill-text", right - w / 2, y, plan.text, text, "middle"),
  ];
}

function panelParts(plan, shown, seat, name) {
  const place = plan.panels[seat];
  const wide = plan.rows === 1;
  const size = Math.min(place.h - 12, 58);
  const [left, right] = [place.x + size + 17, place.x + place.w - 9];
  const font = plan.text + (wide ? 3 : 2);
  const beside = wide ? 0 : 150;
  const role = `Seat ${seat} · ${SIDES[seat]}${shown.first === seat ? " · first" : ""}`;
  const lines = wide ? [place.y + 24, place.y + 46, place.y + 69] : [place.y + 23, place.y + 50, place.y + 50];
  return group(
    "rrr-seat",
    titleOf(`${name}: ${role}, ${scoreWords(shown, seat)}`),
    box(shown.mover === seat ? "rrr-panel rrr-active" : "rrr-panel", place, 10),
    emblemParts(place, shown, seat, size),
    label("rrr-strong", left, lines[0], font, shortened(name, font, right - left - beside)),
    label("rrr-muted-text", left, lines[1], plan.text, role),
    ...scoreParts(plan, shown, seat, wide ? left : right - 130, lines[2]),
    ...pillParts(plan, pillWords(shown, seat), right, wide ? lines[2] : lines[0]),
  );
}

// Nine small points, one for each space: seat 0's from the left, seat 1's from the right.
function majorityParts(plan, shown, y) {
  const { x, w } = plan.status;
  const pitch = w / 9;
  const points = SPACES.map((number) => {
    const owner = number < shown.allies[0] ? 0 : number >= 9 - shown.allies[1] ? 1 : null;
    const kind = owner === null ? "rrr-body rrr-nobody" : "rrr-body";
    const path = make("path", { class: kind, d: outlinePath(owner, pitch - 8, 18, 7) });
    const at = shift(x + (number + 0.5) * pitch, y);
    return make("g", { class: `rrr-tile rrr-side-${owner ?? "none"}`, transform: at }, path);
  });
  const words = `Allies ${shown.allies[0]} : ${shown.allies[1]}; five of nine are a majority`;
  return group("rrr-majority", titleOf(words), ...points);
}

// Paragraphs as lines of text; a paragraph is its class, its text and the most lines that it may take.
function linesOf(paragraphs, plan, width, most) {
  const lines = [];
  for (const [kind, text, limit] of paragraphs) {
    const found = wrapped(text, plan.text, width, Math.min(limit, most - lines.length));
    lines.push(...found.map((line) => [kind, line]));
  }
  return lines;
}

function lineParts(plan, lines, x, y) {
  return lines.map(([kind, text], number) => label(kind, x, y + number * plan.line, plan.text, text));
}

function roundParagraphs(plan, shown, nameOf) {
  const supply = plan.rows > 1 && PER_ROUND[shown.setup] ? `, supply ${shown.supply}` : "";
  const paragraphs = [["rrr-strong", capitalised(goalWords(shown)) + supply, 2]];
  if (shown.result) paragraphs.push(["rrr-text", resultWords(shown, nameOf), 3]);
  if (plan.rows === 1 || shown.phase !== "PLACE") paragraphs.push(["rrr-text", taskWords(shown, nameOf), 2]);
  return paragraphs;
}

function statusParts(plan, shown, done, last, nameOf) {
  const { x, y, w, h } = plan.status;
  const wide = plan.rows === 1;
  const upper = linesOf(roundParagraphs(plan, shown, nameOf), plan, w, 6);
  const moved = moveWords(shown, last, nameOf);
  const told = last && !wide ? `Last move: ${moved}` : moved;
  const paragraphs = [["rrr-text", told, 6], ...changeWords(shown, done).map((text) => ["rrr-strong", text, 2])];
  const parts = lineParts(plan, upper, x, y + plan.text);
  let base = y + upper.length * plan.line + 4;
  if (!wide) {
    const room = Math.floor((y + h - base) / plan.line);
    return [...parts, ...lineParts(plan, linesOf(paragraphs, plan, w, room), x, base + plan.text - 4)];
  }
  parts.push(majorityParts(plan, shown, base + 12));
  base += 28;
  const room = Math.floor((y + h - base - 12) / plan.line) - 1;
  const lower = [["rrr-heading", last ? "Last move" : "Start", 1], ...paragraphs];
  parts.push(box("rrr-told", { x, y: base, w, h: y + h - base }, 10));
  parts.push(...lineParts(plan, linesOf(lower, plan, w - 20, room + 1), x + 10, base + plan.text + 7));
  return parts;
}

// -- drawing: the last move ------------------------------------------------------------------------------------------

function twoTone(kind, tag, attributes) {
  return ["rrr-mark-under", "rrr-mark-over"].map((tone) => make(tag, { class: `${tone} ${kind}`, ...attributes }));
}

function outlineMark(kind, { x, y, w, h }, inset = 2) {
  return twoTone(kind, "rect", {
    x: rounded(x + inset),
    y: rounded(y + inset),
    width: rounded(w - 2 * inset),
    height: rounded(h - 2 * inset),
    rx: 9,
  });
}

// The points on the edges of two spaces between which an effect passes from one to the other.
function passage(plan, from, to) {
  const [begin, end] = [centre(cellPlace(plan, from)), centre(cellPlace(plan, to))];
  const [right, down] = [end.x - begin.x, end.y - begin.y];
  const part = (plan.cell + plan.gap) / 2 / (Math.max(Math.abs(right), Math.abs(down)) || 1);
  return {
    leave: { x: begin.x + right * part, y: begin.y + down * part },
    enter: { x: end.x - right * part, y: end.y - down * part },
    angle: rounded((Math.atan2(down, right) * 180) / Math.PI),
  };
}

function linkMark(plan, { space, from }) {
  const { leave, enter } = passage(plan, from, space);
  const path = `M${rounded(leave.x)} ${rounded(leave.y)}L${rounded(enter.x)} ${rounded(enter.y)}`;
  return twoTone("rrr-link", "path", { d: path });
}

// A badge on the edge at which the effect enters its target, pointing there.
function badgeMark(plan, { kind, space, from }, marks) {
  const { enter, angle } = passage(plan, from, space);
  // Two tiles may act on each other: then both badges leave the edge, each to its own target.
  const aside = marks.some((mark) => mark.space === from && mark.from === space) ? 19 : 0;
  const turn = (angle * Math.PI) / 180;
  const at = shift(enter.x + aside * Math.cos(turn), enter.y + aside * Math.sin(turn));
  const drop = { class: "rrr-badge", d: "M9 -12L23 0L9 12A15 15 0 1 1 9 -12Z", transform: `rotate(${angle})` };
  const symbol = glyph(SYMBOLS[kind], 0, 0, 20);
  const turned = kind === "move" ? [make("g", { transform: `rotate(${angle})` }, symbol)] : [symbol];
  const attributes = { class: "rrr-badge-group", transform: at, "data-mark": `${kind} ${space}` };
  return make("g", attributes, make("path", drop), ...turned);
}

function originPlace(plan, shown, side, { place, owner, index }) {
  return place === "zone" ? sidePlace(side, "zone", index) : handPlace(plan, shown, owner, index);
}

function markParts(plan, shown, side, spots, done) {
  const moves = done.marks.filter(({ kind }) => kind === "move");
  const gone = done.marks.filter(({ kind }) => kind === "banish" || kind === "take");
  const left = [...gone.map(({ space }) => space), ...moves.map(({ from }) => from)];
  const firm = moves.map(({ space }) => cellPlace(plan, space));
  if (done.placed !== null && !left.includes(done.placed)) firm.push(cellPlace(plan, done.placed));
  if (done.chosen) firm.push(spots.get(done.chosen.key));
  const origin = done.origin ? outlineMark("rrr-dashed", originPlace(plan, shown, side, done.origin), 4) : [];
  return [
    ...origin,
    ...left.flatMap((space) => outlineMark("rrr-dashed", cellPlace(plan, space))),
    ...firm.flatMap((place) => outlineMark("rrr-firm", place)),
    ...done.marks.map((mark) => badgeMark(plan, mark, done.marks)),
  ];
}

// -- drawing: the whole ----------------------------------------------------------------------------------------------

const LAYERS = ["rrr-ground", "rrr-slots", "rrr-links", "rrr-things", "rrr-shields", "rrr-marks", "rrr-panels"];

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
  const isMoved = (item) => item.tile !== null && item.tile === moved;
  return [...shown.things.filter((item) => !isMoved(item)), ...shown.things.filter(isMoved)];
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
    const turn = [{ transform: "rotate(180deg)" }, { transform: "rotate(0deg)" }];
    element.querySelector(".rrr-body").animate(turn, timing);
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
  layers.links.replaceChildren(...done.marks.flatMap((mark) => linkMark(plan, mark)));
  const elements = drawThings(layers.things, plan, shown, spots, last);
  layers.shields.replaceChildren(...shieldParts(plan, shown));
  layers.marks.replaceChildren(...markParts(plan, shown, side, spots, done));
  layers.panels.replaceChildren(
    panelParts(plan, shown, 1, names[1]),
    panelParts(plan, shown, 0, names[0]),
    ...statusParts(plan, shown, done, last, nameOf),
  );
  if (previous && options.duration > 0) animateThings(elements, plan, spots, previous, options.duration);
}

export { scene, draw, say };
