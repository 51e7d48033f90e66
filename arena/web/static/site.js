// The switch of the theme; and tables of a site in a folder: sorted by their heads, filtered by the form above them.

const value = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.value ?? cell.textContent.trim();
};

const compare = (column, numeric, sign) => (one, two) => {
  const a = value(one, column),
    b = value(two, column);
  const order = numeric ? Number(a) - Number(b) : a.localeCompare(b);
  return sign * order;
};

function sort(table, head) {
  const column = head.cellIndex,
    numeric = head.dataset.sort === "number";
  const first = numeric && head.dataset.first !== "ascending" ? "descending" : "ascending";
  const other = first === "descending" ? "ascending" : "descending";
  const order = head.getAttribute("aria-sort") === first ? other : first;
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort(compare(column, numeric, order === "ascending" ? 1 : -1)));
}

function makeSortable(table) {
  for (const head of table.tHead.rows[0].cells) {
    if (!head.dataset.sort) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, head));
    head.append(button);
  }
}

function makeFilter(form) {
  const rows = [...document.getElementById(form.dataset.filter).tBodies[0].rows];
  const shown = form.querySelector("output");
  const apply = () => {
    const text = form.elements.q.value.trim().toLowerCase();
    let count = 0;
    for (const row of rows) {
      const fits =
        row.dataset.name.toLowerCase().includes(text) &&
        !(form.elements.settled?.checked && row.dataset.unsettled !== undefined);
      row.hidden = !fits;
      count += fits;
    }
    shown.textContent = count === rows.length ? "" : `${count} of ${rows.length}`;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
}

document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
document.querySelectorAll("form[data-filter]").forEach(makeFilter);

function switchTheme(button) {
  const root = document.documentElement;
  const dark = () =>
    (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", String(dark()));
  button.hidden = false;
  show();
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("arena-theme", root.dataset.theme);
    } catch {
      // Without storage it lasts as long as the page.
    }
    show();
  });
}

document.querySelectorAll("button.theme").forEach(switchTheme);

export { makeSortable, makeFilter };
