// Runs before the first paint: the theme that was chosen, and no page inside a frame that is not made for it.
(() => {
  const root = document.documentElement;
  let theme = new URLSearchParams(location.search).get("theme");
  try {
    theme ??= localStorage.getItem("arena-theme");
  } catch {
    // A sandboxed frame has no storage.
  }
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  if (root.dataset.frame === "refuse" && window.top !== window.self) root.classList.add("framed");
})();
