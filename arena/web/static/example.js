// Draws one position with the viewer of its game: the picture in the rules.

function show(viewer) {
  const figure = document.querySelector("figure.example");
  const svg = figure.querySelector("svg");
  const bytes = Uint8Array.from(atob(figure.querySelector(".example-data").textContent.trim()), (c) => c.charCodeAt(0));
  const { position, names } = JSON.parse(new TextDecoder().decode(bytes));
  const scene = viewer.scene(position, null);
  const narrow = matchMedia("(max-width: 40rem)");
  const draw = () => {
    svg.replaceChildren();
    viewer.draw(svg, scene, null, { layout: narrow.matches ? "portrait" : "wide", names, duration: 0, last: null });
  };
  draw();
  narrow.addEventListener("change", draw);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", viewer.say(scene).heading);
  figure.classList.add("ready");
}

export { show };
