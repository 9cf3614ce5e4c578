/**
 * Goes on with a search of many IDs page by page, until a page is full, the search ends, or somebody stops it. The server sends
 * the same pages as without this script.
 */
export function script() {
  const FULL = 50;
  const MOST_SECONDS = 60;

  const panelOf = (page) => page.querySelector("#search");
  const rowsOf = (page) => page.querySelectorAll("#found tbody tr");
  let isStopped = false;

  function show(isRunning) {
    const panel = panelOf(document);
    panel.setAttribute("aria-busy", String(isRunning));
    for (const one of panel.querySelectorAll("[data-stop]")) one.hidden = !isRunning;
    for (const one of panel.querySelectorAll("[data-go-on]")) one.hidden = isRunning;
  }

  /** The next page; null if it could not be loaded. A server that is busy says when to ask again. */
  async function load(href) {
    for (;;) {
      const response = await fetch(href, { headers: { accept: "text/html" } }).catch(() => undefined);
      const seconds = Number(response?.headers.get("retry-after"));
      if (!response || (!response.ok && !(seconds > 0 && seconds <= MOST_SECONDS))) return null;
      if (response.ok) return new DOMParser().parseFromString(await response.text(), "text/html");
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      if (isStopped) return null;
    }
  }

  function add(page) {
    const table = document.querySelector("#found tbody");
    if (table) table.append(...rowsOf(page));
    else document.querySelector("#found").replaceWith(page.querySelector("#found"));
    panelOf(document).replaceWith(panelOf(page));
  }

  async function goOn() {
    isStopped = false;
    for (;;) {
      const href = panelOf(document).querySelector("[data-go-on]")?.href;
      if (!href || isStopped || rowsOf(document).length >= FULL) break;
      show(true);
      const page = await load(href);
      if (!isStopped && !(page && panelOf(page))) showNotLoaded(panelOf(document), goOn);
      if (!page || !panelOf(page)) break;
      // What was focused is replaced with the panel.
      const hadFocus = panelOf(document).contains(document.activeElement);
      add(page);
      show(true);
      if (hadFocus) panelOf(document).querySelector("[data-stop]")?.focus();
    }
    const hadFocus = panelOf(document).contains(document.activeElement);
    show(false);
    if (hadFocus) panelOf(document).querySelector("p:last-child a:last-child")?.focus();
  }

  if (panelOf(document)?.querySelector("[data-go-on]")) {
    document.addEventListener("click", (event) => {
      if (event.target.closest("[data-stop]")) isStopped = true;
    });
    goOn();
  }
}
