/** Opens branches and sorts rows without loading the whole page, and moves with the arrow keys. Every page works without it. */
export function script() {
  addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-in-place]");
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (link && isPlain) {
      event.preventDefault();
      history.pushState(null, "", link.href);
      await showPart(link.id);
    }
  });

  /** Without the fragment, which changes when a link on the page leads to a part of it, and without what is selected on it. */
  function currentPlace() {
    const query = new URLSearchParams(location.search);
    query.delete("selected");
    return location.pathname + query;
  }
  let shownPlace = currentPlace();

  addEventListener("popstate", () => {
    if (currentPlace() !== shownPlace) showPart();
  });

  const rowsOf = (part) => part.querySelectorAll(".table tbody tr");

  /** Replaces the part of the page by that of the current address. */
  async function showPart(focus) {
    const address = location.href;
    const present = document.querySelector("[data-part]");
    shownPlace = currentPlace();
    await loadPart(present, address, "[data-part]", (part) => {
      if (address !== location.href) return;
      const count = rowsOf(present).length;
      present.replaceWith(part);
      dispatchEvent(new Event("replaced"));
      addArrows();
      const target = focus ? document.getElementById(focus) : part.querySelector(".links");
      // What was chosen in a menu leaves it open.
      target?.closest("details")?.setAttribute("open", "");
      // After "Show 50 more", the first of them.
      (target ?? rowsOf(part)[count])?.focus();
    });
  }

  /** What the arrow keys move between: the links of a row of which one is chosen, and menus beside them. */
  const stopsOf = (group) =>
    [...group.querySelectorAll("a, summary")].filter((stop) => !stop.closest("details > div"));
  const focusIn = (stops, stop) => {
    for (const one of stops) one.tabIndex = one === stop ? 0 : -1;
  };

  /** The chosen one is the only stop for Tab. */
  function addArrows() {
    for (const group of document.querySelectorAll("[data-arrows]")) {
      const stops = stopsOf(group);
      focusIn(stops, stops.find((stop) => stop.matches("[aria-current], [aria-sort] a")) ?? stops[0]);
    }
  }
  addArrows();

  addEventListener("keydown", (event) => {
    const group = event.target.closest("[data-arrows]");
    const stops = group ? stopsOf(group) : [];
    const at = stops.indexOf(event.target);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: stops.length - 1 }[event.key];
    if (at < 0 || !stops[to]) return;
    event.preventDefault();
    focusIn(stops, stops[to]);
    stops[to].focus();
  });
}
