// What happens while somebody looks: server-sent events, for as long as the page can be seen.

const AGAIN_MS = 20_000;

/**
 * Hear the events of this address while the page is visible: a browser has only few connections to a host.
 *
 * The address is asked for each time, because it may say how much is known already. Returns what ends it.
 */
function listen(address, handlers) {
  let source = null,
    timer = 0;
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    if (document.hidden) return;
    source = new EventSource(address());
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => handle(JSON.parse(event.data)));
    }
    source.addEventListener("error", () => {
      // A lost connection is taken up by the browser itself; a refused one is not.
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_MS * (0.5 + Math.random()));
    });
  };
  document.addEventListener("visibilitychange", open);
  open();
  return () => {
    document.removeEventListener("visibilitychange", open);
    close();
  };
}

/** Let this player follow its match until it is over. */
function followMatch(player, address) {
  const { attempt } = player.data;
  const { title } = document;
  document.title = `Live: ${title}`;
  const conclude = (text) => {
    stop();
    document.title = title;
    const place = document.querySelector(".live-state");
    if (place) place.textContent = text;
  };
  const stop = listen(() => `${address}?attempt=${attempt}&from=${player.last}`, {
    move: ({ position, move, mover }) => player.append(position, move, mover),
    end: (ending) => {
      player.finish(ending);
      conclude("This match is over: reload the page for its result in full.");
    },
    gone: () => conclude("This match was broken off. If its tournament goes on, it is played again."),
    again: () => location.reload(),
  });
}

/** Let the sections of this page that are live follow what happens. */
function followPage(address) {
  const stop = listen(() => address, {
    section: ({ name, html }) => renew(name, html),
    end: () => {
      stop();
      location.reload();
    },
  });
}

/** Put the new section in the place of the old one; focus and scrolling stay where they are. */
function renew(name, html) {
  const old = document.querySelector(`[data-live="${name}"]`);
  const fresh = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  if (!old || !fresh || old.isEqualNode(fresh)) return;
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const scrolled = [...old.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  old.replaceWith(fresh);
  fresh.querySelectorAll(".scroll").forEach((box, index) => {
    box.scrollLeft = scrolled[index] ?? 0;
  });
  const again =
    focused &&
    [...fresh.querySelectorAll("a, .scroll")].find(
      (element) =>
        element.getAttribute("href") === focused.getAttribute("href") && element.className === focused.className,
    );
  again?.focus({ preventScroll: true });
}

export { followMatch, followPage };
