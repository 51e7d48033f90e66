// The viewer of a game that has none: its terminal picture as lines of text in columns of one width.

const WIDTH = 10;
const HEIGHT = 22;
const MARGIN = 24;
const NARROW = 44;
const SVG = "http://www.w3.org/2000/svg";

/** The lines as runs of text and classes, and who is to move. */
function scene(message, seat) {
  const lines = (message.lines ?? []).map((line) => line.map((run) => (typeof run === "string" ? [run, ""] : run)));
  return { seat, lines, mover: message.mover ?? null };
}

/** Every line as a row of runs; long lines are broken where a phone would cut them off. */
function draw(svg, shown, _previous, options) {
  const rows = shown.lines.flatMap((line) => (options.layout === "portrait" ? broken(line) : [line]));
  const columns = Math.max(24, ...rows.map(lengthOf));
  const height = Math.max(8, rows.length) * HEIGHT + 2 * MARGIN;
  const width = Math.max(columns * WIDTH + 2 * MARGIN, options.layout === "portrait" ? 0 : 1.2 * height);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const left = (width - columns * WIDTH) / 2,
    top = (height - rows.length * HEIGHT) / 2;
  svg.replaceChildren(...rows.flatMap((row, number) => drawRow(row, left, top + number * HEIGHT)));
}

function drawRow(row, left, y) {
  const parts = [];
  let column = 0;
  for (const [text, classes] of row) {
    const length = [...text].length,
      x = left + column * WIDTH;
    column += length;
    if (classes.includes("shade"))
      parts.push(element("rect", { class: "shade", x, y, width: length * WIDTH, height: HEIGHT }));
    if (!text.trim()) continue;
    // The length is set so that fonts without some of these characters keep the columns all the same.
    const run = element("text", {
      class: classes,
      x,
      y: y + 16,
      textLength: length * WIDTH,
      lengthAdjust: "spacingAndGlyphs",
    });
    run.textContent = text;
    parts.push(run);
  }
  return parts;
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function lengthOf(row) {
  return row.reduce((sum, [text]) => sum + [...text].length, 0);
}

/** A line in pieces that fit a narrow screen. */
function broken(line) {
  const rows = [[]];
  let room = NARROW;
  for (const [text, classes] of line) {
    let rest = [...text];
    while (rest.length) {
      rows.at(-1).push([rest.slice(0, room).join(""), classes]);
      const taken = Math.min(room, rest.length);
      rest = rest.slice(taken);
      room -= taken;
      if (!room && rest.length) rows.push([]);
      if (!room) room = NARROW;
    }
  }
  return rows;
}

/** The same lines for those who hear them. */
function say(shown) {
  const items = shown.lines
    .map((line) =>
      line
        .map(([text]) => text)
        .join("")
        .trim(),
    )
    .filter(Boolean);
  const heading = shown.mover === null ? "The game is over" : `Seat ${shown.mover} is to move`;
  return { heading, lists: [{ title: shown.seat === null ? "The position" : "What this seat knows", items }] };
}

export { scene, draw, say };
