// The replay player: everything around a game's viewer, which only draws positions and puts them into words.
//
// It shows one view at a time: everything ("all"), or what one seat knew ("0", "1", …). Board, moves and words are made
// from that view's data alone. Texts of bots and games only ever become text nodes and attributes.

const SPEEDS = [
  ["0.5", "½×"],
  ["1", "1×"],
  ["2", "2×"],
  ["3", "3×"],
  ["5", "5×"],
  ["10", "10×"],
  ["played", "as played"],
];
const ORDINALS = ["1st", "2nd", "3rd"];
const STEP_MS = 1000;
const GLIDE_MS = 220;
const AS_PLAYED_MS = [300, 5000];
const NARROW_PX = 620;
const NAMES_ABREAST = 18; // letters of names for which the switch between views has room
const FILLED = "(min-width: 60rem) and (min-height: 42rem)"; // as in player.css
const SVG = "http://www.w3.org/2000/svg";
const NO_BREAK_SPACE = "\u00a0";
const ICONS = {
  first: "M6 5v14M19 5.5v13L9 12z",
  back: "M15.5 5.5v13L6 12z",
  play: "M7.5 4.5v15L20 12z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  next: "M8.5 5.5v13L18 12z",
  last: "M18 5v14M5 5.5v13L15 12z",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.6 1.6M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.6-1.6",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
  help: "M9 9.3a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 1.9v.6M12 18v.1",
};
const LINE_ICONS = new Set(["link", "help"]);
const KEYS = [
  ["→ j", "next move"],
  ["← k", "previous move"],
  ["↑ Home 0", "start of the match"],
  ["↓ End $", "end of the match"],
  ["Shift + → ←", "next, previous event: a round, a score, a fault"],
  ["Space", "play, pause; at the end from the start"],
  [", .", "slower, faster"],
  ["e", "show everything"],
  ["1 2 3 4", "show what the first, second, … seat knew"],
  ["f", "turn the table, in games with sides"],
  ["m", "go to the list of moves"],
  ["c", "copy a link to this move"],
  ["? Esc", "this help, close it"],
];

/**
 * Run the page's replay with this viewer; resolves to its Player when the first position is drawn.
 *
 * If the data says `live`, the match goes on: `append` adds what is played, and `finish` tells how it ended.
 */
async function start(viewer) {
  const root = document.querySelector(".player");
  const data = await load(root);
  return new Player(root, data, viewer);
}

/** The data of the page: packed in it, or fetched. */
async function load(root) {
  const inside = root.querySelector(".replay-data");
  const bytes = inside
    ? Uint8Array.from(atob(inside.textContent.trim()), (letter) => letter.charCodeAt(0))
    : new Uint8Array(await (await fetch(root.dataset.replay)).arrayBuffer());
  inside?.remove();
  // A server may have said that it is gzipped: then the browser has unpacked it already.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return JSON.parse(new TextDecoder().decode(bytes));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

// -- the player -----------------------------------------------------------------------------------------------------

class Player {
  constructor(root, data, viewer) {
    Object.assign(this, { root, data, viewer, scenes: new Map(), timer: 0, drawn: null, turn: 0 });
    this.last = data.positions.length - 1;
    const wanted = readHash();
    this.view = data.views.includes(wanted.view) ? wanted.view : data.views[0];
    this.ply = Math.min(wanted.ply ?? (data.live ? this.last : 0), this.last);
    this.speed = chosenSpeed();
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.parts = build(root, data);
    connect(this);
    this.fillMoves();
    this.showSpeed();
    this.watchSize();
    this.show();
    root.classList.add("ready");
    if (new URLSearchParams(location.search).has("autoplay")) this.play();
  }

  /** The seat whose view is shown; null for everything. */
  get seat() {
    return this.view === "all" ? null : Number(this.view);
  }

  /** Whether the end of the match is shown, and not only the latest of a match that goes on. */
  get over() {
    return this.ply === this.last && !this.data.live;
  }

  get playing() {
    return this.timer !== 0;
  }

  scene(ply) {
    const key = `${this.view}:${ply}`;
    if (!this.scenes.has(key)) this.scenes.set(key, this.viewer.scene(this.data.positions[ply][this.view], this.seat));
    return this.scenes.get(key);
  }

  /** Show this ply; a single step glides, anything else and whatever is asked to be quick does not. */
  go(ply, { quick = false, quiet = false } = {}) {
    const to = Math.max(0, Math.min(this.last, ply));
    const single = Math.abs(to - this.ply) === 1;
    this.ply = to;
    this.show(single && !quick ? this.glide() : 0, quiet);
  }

  glide() {
    if (this.calm.matches) return 0;
    return this.playing ? Math.min(GLIDE_MS, 0.6 * this.pace()) : GLIDE_MS;
  }

  /** Draw all that depends on ply and view. */
  show(duration = 0, quiet = false) {
    this.draw(duration);
    this.showMove();
    this.showSeats();
    this.showViews();
    this.showControls();
    this.showTimes();
    if (this.parts.words.open) this.showWords();
    this.revealSoon();
    if (!quiet) this.announce();
    this.keepAddress();
  }

  draw(duration) {
    const { svg } = this.parts,
      scene = this.scene(this.ply),
      layout = this.layout;
    // A drawing that is not of this view and layout is no beginning of an animation.
    const same =
      this.drawn && this.drawn.view === this.view && this.drawn.layout === layout && this.drawn.turn === this.turn;
    const options = {
      layout,
      names: this.data.seats.map((seat) => seat.label),
      duration: same ? duration : 0,
      last: this.lastMove(),
      turn: this.turn,
    };
    this.viewer.draw(svg, scene, same ? this.drawn.scene : null, options);
    this.drawn = { view: this.view, layout, scene, turn: this.turn };
    const { width, height } = svg.viewBox.baseVal;
    this.parts.board.style.setProperty("--ratio", String(width / height || 1));
    svg.setAttribute("aria-label", `${this.viewNote()}${this.viewer.say(scene).heading}`);
  }

  lastMove() {
    if (!this.ply) return null;
    const played = this.data.moves[this.ply - 1],
      told = played[this.view];
    const text = `${this.data.seats[played.seat].label}${told.joint ?? ":"} ${plain(told.text)}`;
    return { seat: played.seat, move: told.move, text, before: this.scene(this.ply - 1) };
  }

  /** Let another seat sit at the near side, if the game has sides. */
  turnTable() {
    if (!this.viewer.turns) return this.toast("The board of this game stays as it is");
    this.turn = (this.turn + 1) % this.data.seats.length;
    this.draw(0);
    return this.toast("The table is turned");
  }

  viewNote() {
    return this.seat === null ? "" : `What ${this.data.seats[this.seat].label} knew. `;
  }

  // -- playing ------------------------------------------------------------------------------------------------------

  /** Milliseconds until the next move. */
  pace() {
    if (this.speed !== "played") return STEP_MS / Number(this.speed);
    const thought = (this.data.moves[this.ply]?.wall ?? 0) / 1000;
    return Math.max(AS_PLAYED_MS[0], Math.min(AS_PLAYED_MS[1], thought));
  }

  play() {
    if (this.ply === this.last && this.data.live) return;
    if (this.ply === this.last) this.go(0, { quick: true });
    this.schedule();
    this.showControls();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.showControls();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  schedule() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      // Above the speed of speech nothing is read out until the end.
      this.go(this.ply + 1, { quiet: this.speed === "played" || Number(this.speed) > 1 });
      if (this.ply === this.last) {
        this.pause();
        this.announce();
      } else this.schedule();
    }, this.pace());
  }

  /** A person steps: what plays by itself stops. */
  step(ply, options) {
    if (this.playing) this.pause();
    this.go(ply, options);
  }

  setSpeed(speed) {
    this.speed = speed;
    store("arena-speed", speed);
    this.showSpeed();
    if (this.playing) this.schedule();
  }

  shiftSpeed(by) {
    const at = SPEEDS.findIndex(([value]) => value === this.speed) + by;
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))][0]);
    this.toast(`Speed ${SPEEDS.find(([value]) => value === this.speed)[1]}`);
  }

  showSpeed() {
    this.parts.speed.value = this.speed;
  }

  /** The next ply in this direction at which something more than a move happened. */
  event(direction) {
    let ply = this.ply + direction;
    while (ply > 0 && ply < this.last && !this.isEvent(ply)) ply += direction;
    return ply;
  }

  isEvent(ply) {
    if (this.data.moves[ply - 1].fault) return true;
    const marks = [this.scene(ply - 1), this.scene(ply)].map((scene) =>
      JSON.stringify([scene.round, scene.phase, scene.trick, scene.score, scene.scores, scene.wounds, scene.ending]),
    );
    return marks[0] !== marks[1];
  }

  // -- a match that goes on -------------------------------------------------------------------------------------------

  /** Add a move, the position after it and who moves next; who looks at the latest position stays at the latest. */
  append(position, move, mover = null) {
    const following = this.ply === this.last && !this.playing;
    this.data.mover = mover;
    this.data.positions.push(position);
    this.data.moves.push(move);
    this.last += 1;
    this.parts.slider.max = String(this.last);
    const item = moveItem(this, move, this.last - 1);
    this.parts.moves.lastElementChild.before(item);
    this.buttons.push(item.firstElementChild);
    this.renewTimes();
    if (following) this.go(this.last);
    else this.showControls();
  }

  /** The match is over: seats, result and void as in the data of a finished one. */
  finish(ending) {
    Object.assign(this.data, ending, { live: false });
    this.parts.moves.lastElementChild.replaceWith(resultItem(this.data));
    this.show();
  }

  renewTimes() {
    const times = buildTimes(this.data);
    this.parts.times.box.replaceWith(times.box);
    this.parts.times = times;
    times.svg.addEventListener("click", (event) => this.step(plyAt(event, this.last), { quick: true }));
    this.showTimes();
  }

  // -- views ----------------------------------------------------------------------------------------------------------

  setView(view) {
    if (!this.data.views.includes(view) || view === this.view) return;
    this.view = view;
    this.fillMoves();
    this.show();
    this.toast(this.seat === null ? "Everything is shown" : this.viewNote().replace(". ", ""));
  }

  showViews() {
    for (const button of this.parts.views.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.value === this.view));
    }
    this.root.dataset.view = this.view;
  }

  // -- the parts ------------------------------------------------------------------------------------------------------

  /** The list of moves in the words of the view. */
  fillMoves() {
    const items = this.data.moves.map((move, index) => moveItem(this, move, index));
    this.parts.moves.replaceChildren(startItem(this), ...items, resultItem(this.data));
    this.buttons = [...this.parts.moves.querySelectorAll("button")];
    this.current = null;
  }

  showMove() {
    this.current?.removeAttribute("aria-current");
    this.current = this.buttons[this.ply];
    this.current.setAttribute("aria-current", "step");
    this.parts.caption.replaceChildren(...caption(this));
    this.parts.caption.className = `caption ${this.captionKind()}`;
  }

  /** With the next picture, when all parts have their sizes: measuring at every step would cost more than drawing. */
  revealSoon() {
    cancelAnimationFrame(this.revealing);
    this.revealing = requestAnimationFrame(() =>
      reveal(this.parts.list, this.ply === this.last ? this.parts.moves.lastElementChild : this.current),
    );
  }

  captionKind() {
    if (this.ply > 0 && this.data.moves[this.ply - 1].fault) return "fault";
    if (!this.over) return "";
    return this.data.seats.some((seat) => seat.fault) || this.data.void ? "fault" : "over";
  }

  showSeats() {
    const { data, ply, over } = this,
      mover = data.moves[ply]?.seat ?? (data.live ? data.mover : null);
    this.parts.seats.forEach((card, seat) => {
      card.box.classList.toggle("moving", seat === mover);
      const isOut = outSince(data, seat) <= ply;
      card.box.classList.toggle("out", isOut);
      card.turn.textContent = isOut ? "out: random moves" : seat === mover ? "to move" : "";
      card.clock.textContent = clockText(data, seat, ply);
      card.clock.title = data.per_move ? `Bank; every move has ${data.per_move} s beside it` : "Clock";
      card.spent.textContent = spentText(data, seat, ply);
      card.result.textContent = over ? resultText(data, seat) : "";
      card.result.classList.toggle("winner", over && data.seats[seat].rank === 1);
    });
  }

  showControls() {
    const { slider, count, buttons, now } = this.parts;
    now.hidden = !this.data.live;
    now.disabled = this.ply === this.last;
    now.textContent = this.ply === this.last ? "live" : `${this.last - this.ply} behind: to now`;
    slider.value = String(this.ply);
    slider.setAttribute("aria-valuetext", `move ${this.ply} of ${this.last}`);
    count.textContent = `${this.ply} / ${this.last}`;
    for (const name of ["first", "back"]) buttons[name].disabled = this.ply === 0;
    for (const name of ["next", "last"]) buttons[name].disabled = this.ply === this.last;
    setIcon(buttons.play, this.playing ? "pause" : "play", this.playing ? "Pause" : "Play");
  }

  showTimes() {
    const { cursor, reading } = this.parts.times;
    cursor.setAttribute("x", String(this.ply - 1));
    cursor.setAttribute("visibility", this.ply ? "visible" : "hidden");
    const move = this.data.moves[this.ply - 1];
    reading.textContent = move ? `move ${this.ply}: ${duration(move.wall)}` : "";
  }

  showWords() {
    const said = this.viewer.say(this.scene(this.ply));
    this.parts.wordsBody.replaceChildren(...inWords(said, this.viewNote()));
  }

  announce() {
    const said = this.ply ? `Move ${this.ply}: ${this.lastMove().text}` : "The start of the match";
    const end = this.over ? `. ${this.data.result}` : "";
    // The same sentence twice would not be spoken: a trailing no-break space makes it another one.
    const text = `${said}${end}`;
    this.parts.live.textContent = this.parts.live.textContent === text ? text + NO_BREAK_SPACE : text;
  }

  toast(text) {
    const { toast } = this.parts;
    toast.textContent = text;
    toast.classList.add("shown");
    clearTimeout(this.toasting);
    this.toasting = setTimeout(() => toast.classList.remove("shown"), 1800);
  }

  // -- the address ----------------------------------------------------------------------------------------------------

  hash() {
    return `#${this.ply}${this.seat === null ? "" : `/seat${this.seat}`}`;
  }

  /** The address follows, a little later: browsers refuse hundreds of changes in a row. */
  keepAddress() {
    clearTimeout(this.addressing);
    this.addressing = setTimeout(() => {
      try {
        // Who follows a match that goes on wants the newest move, also when the page is loaded again.
        const here = this.data.live && this.ply === this.last ? "#" : this.hash();
        if ((location.hash || "#") !== here && (this.ply || location.hash)) history.replaceState(null, "", here);
      } catch {
        // A page in a frame without a right to its address stays where it is.
      }
    }, 250);
    if (window.parent !== window)
      window.parent.postMessage({ arena: "replay", ply: this.ply, height: this.root.scrollHeight }, "*");
  }

  async copyLink() {
    const address = location.href.replace(/#.*$/, "") + this.hash();
    try {
      await navigator.clipboard.writeText(address);
      this.toast(`The link to move ${this.ply} is copied`);
    } catch {
      location.hash = this.hash();
      this.toast("The link is in the address bar");
    }
  }

  follow() {
    const { ply, view } = readHash();
    if (view !== this.view && this.data.views.includes(view)) this.setView(view);
    if (ply !== null && ply !== this.ply) this.step(ply, { quick: true });
  }

  /** The layout follows the room for the board; it is measured only when that changes, since measuring is dear. */
  watchSize() {
    const { boardBox } = this.parts,
      filled = matchMedia(FILLED);
    const fitting = () => {
      const { clientWidth, clientHeight } = boardBox;
      // Where everything is in the window at once, a room that is wider than high wants a picture of that shape.
      return clientWidth < NARROW_PX && !(filled.matches && clientWidth > clientHeight) ? "portrait" : "wide";
    };
    this.layout = fitting();
    new ResizeObserver(() => {
      this.layout = fitting();
      if (this.drawn.layout !== this.layout) this.draw(0);
    }).observe(boardBox);
  }
}

// -- what a person does -----------------------------------------------------------------------------------------------

function connect(player) {
  const { parts } = player,
    { buttons } = parts;
  buttons.play.addEventListener("click", () => player.toggle());
  buttons.first.addEventListener("click", () => player.step(0, { quick: true }));
  buttons.last.addEventListener("click", () => player.step(player.last, { quick: true }));
  holdToRepeat(buttons.back, (quick) => player.step(player.ply - 1, { quick }));
  holdToRepeat(buttons.next, (quick) => player.step(player.ply + 1, { quick }));
  buttons.link.addEventListener("click", () => player.copyLink());
  buttons.theme.addEventListener("click", switchTheme);
  buttons.help.addEventListener("click", () => parts.help.showModal());
  parts.slider.addEventListener("input", () => player.step(Number(parts.slider.value), { quick: true }));
  parts.speed.addEventListener("change", () => player.setSpeed(parts.speed.value));
  parts.views.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) player.setView(button.value);
  });
  parts.moves.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) player.step(Number(button.value));
  });
  parts.words.addEventListener("toggle", () => parts.words.open && player.showWords());
  player.renewTimes();
  parts.now.addEventListener("click", () => player.step(player.last, { quick: true }));
  parts.board.addEventListener("click", (event) => tap(player, event));
  document.addEventListener("keydown", (event) => press(player, event));
  window.addEventListener("hashchange", () => player.follow());
}

/** A finger on the left or right third of the board steps. */
function tap(player, event) {
  if (event.pointerType !== "touch") return;
  const box = player.parts.board.getBoundingClientRect(),
    x = (event.clientX - box.left) / box.width;
  if (x < 1 / 3) player.step(player.ply - 1);
  else if (x > 2 / 3) player.step(player.ply + 1);
}

/** One step per click; held down it repeats, faster and faster. */
function holdToRepeat(button, step) {
  let timer = 0,
    held = false;
  const repeat = (wait) => {
    timer = setTimeout(() => {
      if (button.disabled) return;
      held = true;
      step(true);
      repeat(Math.max(100, wait * 0.8));
    }, wait);
  };
  const stop = () => clearTimeout(timer);
  button.addEventListener("pointerdown", (event) => {
    held = false;
    if (event.button === 0) repeat(500);
  });
  for (const name of ["pointerup", "pointerleave", "pointercancel", "blur"]) button.addEventListener(name, stop);
  button.addEventListener("click", () => {
    if (!held) step(false);
    held = false;
  });
}

const COMMANDS = {
  ArrowRight: (player, event) =>
    player.step(event.shiftKey ? player.event(1) : player.ply + 1, { quick: event.repeat }),
  ArrowLeft: (player, event) =>
    player.step(event.shiftKey ? player.event(-1) : player.ply - 1, { quick: event.repeat }),
  ArrowUp: (player) => player.step(0, { quick: true }),
  ArrowDown: (player) => player.step(player.last, { quick: true }),
  Home: (player) => player.step(0, { quick: true }),
  End: (player) => player.step(player.last, { quick: true }),
  " ": (player) => player.toggle(),
};
const LETTERS = {
  j: COMMANDS.ArrowRight,
  k: COMMANDS.ArrowLeft,
  0: COMMANDS.ArrowUp,
  $: COMMANDS.ArrowDown,
  ",": (player) => player.shiftSpeed(-1),
  ".": (player) => player.shiftSpeed(1),
  e: (player) => player.setView("all"),
  1: (player) => player.setView("0"),
  2: (player) => player.setView("1"),
  3: (player) => player.setView("2"),
  4: (player) => player.setView("3"),
  f: (player) => player.turnTable(),
  m: (player) => player.current.focus(),
  c: (player) => player.copyLink(),
  "?": (player) => player.parts.help.showModal(),
};

function press(player, event) {
  if (event.ctrlKey || event.altKey || event.metaKey || player.parts.help.open) return;
  const { target, key } = event;
  if (target.closest("textarea, select, [contenteditable], input:not([type=range])")) return;
  // A slider has these keys of its own, and a button or summary is pressed with the space bar.
  if (
    target.matches("input[type=range]") &&
    (key.startsWith("Arrow") || key === "Home" || key === "End") &&
    !event.shiftKey
  )
    return;
  if (key === " " && target.closest("button, summary, a")) return;
  const command = COMMANDS[key] ?? (player.parts.letters.checked ? LETTERS[key] : undefined);
  if (!command) return;
  event.preventDefault();
  command(player, event);
}

function plyAt(event, last) {
  const box = event.currentTarget.getBoundingClientRect();
  return Math.floor(((event.clientX - box.left) / box.width) * last) + 1;
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  store("arena-theme", root.dataset.theme);
}

function readHash() {
  const found = /^#(\d+)(?:\/seat(\d+))?$/.exec(location.hash);
  return { ply: found ? Number(found[1]) : null, view: found?.[2] ?? "all" };
}

function chosenSpeed() {
  const wanted = new URLSearchParams(location.search).get("speed") ?? recall("arena-speed");
  return SPEEDS.some(([value]) => value === wanted) ? wanted : "1";
}

function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A sandboxed frame has no storage: the choice holds until the page is left.
  }
}

function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// -- words --------------------------------------------------------------------------------------------------------------

function plain(text) {
  return text.map((run) => (typeof run === "string" ? run : run[0])).join("");
}

/** Runs of text as nodes: plain ones, and spans with classes. */
function nodes(text) {
  return text.map((run) => (typeof run === "string" ? run : make("span", { class: run[1] }, run[0])));
}

/** Microseconds for people. */
function duration(us) {
  if (us < 1) return "0 ms";
  if (us < 10_000) return `${(us / 1000).toFixed(1)} ms`;
  if (us < 1_000_000) return `${Math.round(us / 1000)} ms`;
  return seconds(us / 1e6);
}

function seconds(value) {
  if (value < 60) return `${value.toFixed(value < 10 ? 2 : 1)} s`;
  return `${Math.floor(value / 60)}:${String(Math.floor(value % 60)).padStart(2, "0")}`;
}

/** What the seat's clock showed at this ply: its bank, or what every move may take. */
function clockText(data, seat, ply) {
  if (!data.timed) return "";
  const bank = ply ? data.moves[ply - 1].banks[seat] : data.banks[seat];
  if (data.banks[seat] || bank) return seconds(bank);
  return `${data.per_move} s/move`;
}

function spentText(data, seat, ply) {
  const spent = data.moves.slice(0, ply).reduce((sum, move) => sum + (move.seat === seat ? move.wall : 0), 0);
  return `used ${duration(spent)}`;
}

function resultText(data, seat) {
  const { rank, score, fault } = data.seats[seat];
  if (data.void || !rank) return "";
  const draw = data.seats.every((other) => other.rank === 1);
  const place = draw
    ? "draw"
    : rank === 1
      ? "won"
      : fault
        ? "fault"
        : data.seats.length === 2
          ? "lost"
          : (ORDINALS[rank - 1] ?? `${rank}th`);
  return fault || data.scored === false ? place : `${place} · ${Number(score.toFixed(2))}`;
}

/** After how many moves the seat's bot was out while the others played on. */
function outSince(data, seat) {
  return data.moves.find((move) => move.seat === seat && move.out !== undefined)?.out ?? Infinity;
}

/** Why the referee played this move, in words; nothing for a bot's own. */
function substitution(data, ply) {
  const move = data.moves[ply];
  if (move.out !== undefined) return `It is out, and random moves are played for it: ${move.fault}`;
  if (move.fault) return `A random move was played for it: ${move.fault}`;
  return move.substituted && outSince(data, move.seat) <= ply ? "A random move: it is out" : "";
}

/** The line below the board: the last move, or how the match ended. */
function caption(player) {
  const { data, ply } = player;
  if (!ply && player.over) return verdicts(data);
  if (!ply)
    return [
      make(
        "span",
        {},
        data.moves.length ? `The start: ${data.seats[data.moves[0].seat].label} is to move` : "The start",
      ),
    ];
  const move = data.moves[ply - 1];
  const said = make(
    "span",
    { class: "said" },
    make("b", { class: "number" }, `${ply}`),
    chip(move.seat),
    make("bdi", {}, data.seats[move.seat].label),
    `${move[player.view].joint ?? ":"} `,
    ...nodes(move[player.view].text),
  );
  const lines = [said];
  const why = substitution(data, ply - 1);
  if (why) lines.push(make("span", { class: "verdict" }, why));
  if (player.over) lines.push(...verdicts(data));
  return lines;
}

function verdicts(data) {
  const faults = data.seats.filter((seat) => seat.fault || data.void);
  return [
    make("strong", { class: "headline" }, data.result),
    ...faults.map((seat) => make("span", { class: "verdict" }, make("bdi", {}, seat.label), `: ${seat.sentence}`)),
  ];
}

/** What a viewer says, as headings, lists and a table. */
function inWords(said, note) {
  const parts = [make("p", { class: "words-heading" }, `${note}${said.heading}`)];
  for (const { title, items } of said.lists ?? []) {
    parts.push(make("h3", {}, title), make("ul", {}, ...items.map((item) => make("li", {}, item))));
  }
  if (said.table) parts.push(wordsTable(said.table));
  return parts;
}

function wordsTable({ caption, head, rows }) {
  const cells = (row) =>
    row.map((cell, column) => make(column ? "td" : "th", column ? {} : { scope: "row" }, String(cell)));
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make(
      "table",
      {},
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, String(name))))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells(row)))),
    ),
  );
}

// -- elements -----------------------------------------------------------------------------------------------------------

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function setIcon(button, icon, label) {
  if (button.dataset.icon === icon) return;
  button.dataset.icon = icon;
  const path = draw("path", { d: ICONS[icon], class: LINE_ICONS.has(icon) ? "line" : "solid" });
  button.replaceChildren(draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, path));
  button.setAttribute("aria-label", label);
  button.title = label;
}

function iconButton(icon, label, classes = "") {
  const button = make("button", { type: "button", class: `icon ${classes}` });
  setIcon(button, icon, label);
  return button;
}

function chip(seat) {
  return make("span", { class: `chip seat-${seat}`, "aria-hidden": "true" }, String(seat));
}

function startItem() {
  return make(
    "li",
    { class: "start" },
    make(
      "button",
      { type: "button", value: "0" },
      make("span", { class: "number" }, "0"),
      make("span", { class: "text dim" }, "Start of the match"),
    ),
  );
}

function moveItem(player, move, index) {
  const { label } = player.data.seats[move.seat],
    text = move[player.view].text;
  const button = make(
    "button",
    { type: "button", value: String(index + 1), "aria-label": `${index + 1}. ${label}: ${plain(text)}` },
    make("span", { class: "number" }, String(index + 1)),
    chip(move.seat),
    make("span", { class: "text" }, ...nodes(text)),
    make("span", { class: "took" }, move.wall ? duration(move.wall) : ""),
  );
  if (move.fault) button.append(make("span", { class: "verdict" }, `Random move: ${move.fault}`));
  else if (move.substituted) button.append(make("span", { class: "verdict" }, "Random move"));
  return make("li", {}, button);
}

function resultItem(data) {
  if (data.live) return make("li", { class: "result" }, "The match goes on");
  const kind = data.void || data.seats.some((seat) => seat.fault) ? "fault" : "over";
  return make("li", { class: `result ${kind}` }, ...verdicts(data));
}

/** Scroll the list, and nothing else, so far that the item is in sight. */
function reveal(list, item) {
  const box = list.getBoundingClientRect(),
    place = item.getBoundingClientRect();
  if (place.top < box.top + 40 || place.bottom > box.bottom - 40) {
    list.scrollTop += place.top - box.top - (box.height - place.height) / 2;
  }
}

// -- the page -------------------------------------------------------------------------------------------------------------

function build(root, data) {
  const parts = { ...buildBoard(root), ...buildControls(data), ...buildHelp() };
  parts.seats = data.seats.map(seatCard);
  parts.views = buildViews(data);
  Object.assign(parts, buildMoves(), buildWords());
  parts.times = buildTimes(data);
  parts.live = make("p", { class: "unseen", "aria-live": "polite" });
  parts.toast = make("p", { class: "toast", "aria-hidden": "true" });
  const tools = make("div", { class: "tools" }, parts.buttons.link, parts.buttons.theme, parts.buttons.help);
  root.querySelector(".match-head").append(tools);
  const side = make(
    "section",
    { class: "side", "aria-label": "Players and moves" },
    make("div", { class: data.seats.length > 2 ? "seats many" : "seats" }, ...parts.seats.map((card) => card.box)),
    parts.views,
    parts.list,
    parts.times.box,
    parts.words,
    facts(data),
  );
  parts.stage.append(parts.boardBox, parts.controls, side);
  root.append(parts.stage, parts.live, parts.toast, parts.help);
  root.setAttribute("aria-label", `${data.seats.map((seat) => seat.label).join(" against ")}. ${data.result}`);
  return parts;
}

function buildBoard(root) {
  const svg = draw("svg", { role: "img", preserveAspectRatio: "xMidYMid meet" });
  // The game's styles begin one element further in, so that its variables do not change ours.
  const board = make("div", { class: "board" }, make("div", { class: `picture game-${root.dataset.game}` }, svg));
  const boardBox = make("section", { class: "board-box", "aria-label": "Board" }, board);
  return { svg, board, boardBox, stage: make("div", { class: "stage" }) };
}

function buildControls(data) {
  const last = data.positions.length - 1;
  const buttons = {
    first: iconButton("first", "First position"),
    back: iconButton("back", "Previous move"),
    play: iconButton("play", "Play", "main"),
    next: iconButton("next", "Next move"),
    last: iconButton("last", "Last position"),
    link: iconButton("link", "Copy a link to this move"),
    theme: iconButton("theme", "Light or dark", "theme-switch"),
    help: iconButton("help", "Keyboard help"),
  };
  const slider = make("input", {
    type: "range",
    min: "0",
    max: String(last),
    step: "1",
    value: "0",
    "aria-label": "Move",
  });
  const speed = make(
    "select",
    { "aria-label": "Speed" },
    ...SPEEDS.map(([value, text]) => make("option", { value }, text)),
  );
  const count = make("span", { class: "count", "aria-hidden": "true" });
  const caption = make("div", { class: "caption" });
  const now = make("button", { type: "button", class: "now" });
  const row = make(
    "div",
    { class: "row" },
    now,
    make("div", { class: "steps" }, buttons.first, buttons.back, buttons.play, buttons.next, buttons.last),
    speed,
  );
  const scrub = make("div", { class: "scrub" }, slider, count);
  const controls = make("section", { class: "controls", "aria-label": "Replay controls" }, caption, scrub, row);
  return { buttons, slider, speed, count, caption, controls, now };
}

function seatCard(seat, number) {
  const turn = make("span", { class: "turn" }),
    clock = make("span", { class: "clock" });
  const spent = make("span", { class: "spent" }),
    result = make("span", { class: "outcome" });
  const about = [seat.role, seat.version && `version ${seat.version}`].filter(Boolean).join(" · ");
  const name = make("span", { class: "name", title: seat.name }, make("bdi", {}, seat.label));
  const box = make(
    "div",
    { class: `seat seat-${number}` },
    chip(number),
    make("span", { class: "who" }, name, make("span", { class: "about" }, about, turn)),
    make("span", { class: "time" }, result, clock, spent),
  );
  return { box, turn, clock, spent, result };
}

function buildViews(data) {
  const named = data.views.map((view) => {
    const everything = view === "all",
      label = everything ? "" : data.seats[Number(view)].label;
    const title = everything ? "Show everything (e)" : `Show only what ${label} knew then (${Number(view) + 1})`;
    return make(
      "button",
      { type: "button", value: view, title },
      ...(everything
        ? ["Everything"]
        : [make("span", { class: "knew" }, "As "), chip(Number(view)), make("bdi", {}, label)]),
    );
  });
  const letters = data.seats.reduce((sum, seat) => sum + seat.label.length, 0);
  const kind = letters > NAMES_ABREAST ? "views by-chip" : "views";
  const views = make("div", { class: kind, role: "group", "aria-label": "What is shown" }, ...named);
  views.hidden = data.views.length < 2;
  return views;
}

function buildMoves() {
  const moves = make("ol", { class: "moves" });
  const list = make("div", { class: "list", role: "region", "aria-label": "Moves", tabindex: "0" }, moves);
  return { moves, list };
}

function buildWords() {
  const wordsBody = make("div", { class: "words-body" });
  const words = make("details", { class: "words" }, make("summary", {}, "The position in words"), wordsBody);
  return { words, wordsBody };
}

function facts(data) {
  const pairs = data.facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
  return make("details", { class: "facts" }, make("summary", {}, "About this match"), make("dl", {}, ...pairs));
}

/** Bars of the time per move on a logarithmic scale, a lane per seat; two seats are mirrored. */
function buildTimes(data) {
  const { moves, seats } = data,
    longest = Math.max(1, ...moves.map((move) => move.wall));
  const lane = 100 / seats.length,
    height = (wall) => (wall ? Math.max(0.04, Math.log1p(wall) / Math.log1p(longest)) : 0) * (lane - 4);
  const bars = moves.map((move, ply) => {
    const size = height(move.wall),
      top = seats.length === 2 && move.seat === 1 ? lane + 2 : lane * (move.seat + 1) - size - 2;
    const place = {
      class: move.fault ? "bar fault" : `bar seat-${move.seat}`,
      x: ply + 0.1,
      y: top,
      width: 0.8,
      height: size,
    };
    return draw("rect", place, draw("title", {}, `move ${ply + 1}, ${seats[move.seat].label}: ${duration(move.wall)}`));
  });
  const cursor = draw("rect", { class: "cursor", x: 0, y: 0, width: 1, height: 100 });
  const svg = draw(
    "svg",
    {
      role: "img",
      "aria-label": timesInWords(data, longest),
      viewBox: `0 0 ${Math.max(1, moves.length)} 100`,
      preserveAspectRatio: "none",
    },
    cursor,
    ...bars,
  );
  const reading = make("span", { class: "reading" });
  const box = make(
    "figure",
    { class: "times" },
    make("figcaption", {}, make("span", {}, "Time per move"), reading),
    svg,
  );
  box.hidden = !moves.some((move) => move.wall);
  return { box, svg, cursor, reading };
}

function timesInWords(data, longest) {
  const each = data.seats.map((seat, number) => {
    const own = data.moves.filter((move) => move.seat === number);
    return `${seat.label} ${duration(own.reduce((sum, move) => sum + move.wall, 0))} in ${own.length} moves`;
  });
  const at = data.moves.findIndex((move) => move.wall === longest) + 1;
  return `Time per move: ${each.join(", ")}${at ? `; the longest was ${duration(longest)} for move ${at}` : ""}`;
}

function buildHelp() {
  const letters = make("input", { type: "checkbox" });
  letters.checked = recall("arena-letters") !== "off";
  letters.addEventListener("change", () => store("arena-letters", letters.checked ? "on" : "off"));
  const rows = KEYS.map(([keys, does]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, ...keys.split(" ").map((key) => (key === "+" ? " + " : make("kbd", {}, key)))),
      make("td", {}, does),
    ),
  );
  const close = make("button", { type: "button", class: "plain" }, "Close");
  const help = make(
    "dialog",
    { class: "help", "aria-label": "Keyboard help" },
    make("h2", {}, "Keyboard"),
    make("table", {}, make("tbody", {}, ...rows)),
    make("label", {}, letters, " Letters and digits are keys, too"),
    make("p", { class: "dim" }, "On a touch screen, tap the left or the right third of the board."),
    close,
  );
  close.addEventListener("click", () => help.close());
  return { help, letters };
}

export { start };
