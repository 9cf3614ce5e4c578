/**
 * The script of every page: copies texts, closes menus, shows the current tab, says that a part loads, and sends a form once.
 * Every page works without it.
 */
export function script() {
  const current = document.querySelector(".tabs [aria-current]");
  if (current) current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.offsetLeft - 20;

  // A script that replaces a part of the page dispatches the event "replaced".
  function showCopyButtons() {
    for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
  }
  showCopyButtons();
  addEventListener("replaced", showCopyButtons);

  addEventListener("click", async ({ target }) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(target)) menu.open = false;
    }
    const button = target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(button.dataset.copy);
    const label = button.firstChild;
    const text = label.data;
    if (text === "Copied") return;
    label.data = "Copied";
    document.querySelector("#copied").textContent = "Copied";
    setTimeout(() => {
      label.data = text;
      document.querySelector("#copied").textContent = "";
    }, 2000);
  });

  // For the other scripts, which load a part of the page.
  const BAR_AFTER_MS = 150;

  const loads = new WeakMap();
  /** Says that a part loads, after a moment with a bar too, until the returned function is called. */
  globalThis.showLoading = (part) => {
    loads.set(part, (loads.get(part) ?? 0) + 1);
    const bar = Object.assign(document.createElement("div"), { className: "loading" });
    const timer = setTimeout(() => part.prepend(bar), BAR_AFTER_MS);
    part.setAttribute("aria-busy", "true");
    part.querySelector(":scope > .not-loaded")?.remove();
    return () => {
      clearTimeout(timer);
      bar.remove();
      loads.set(part, loads.get(part) - 1);
      if (loads.get(part) === 0) part.removeAttribute("aria-busy");
    };
  };

  /** Says in a part that it could not be loaded. */
  globalThis.showNotLoaded = (part, again) => {
    const failure = Object.assign(document.createElement("div"), {
      className: "notice error undo not-loaded",
    });
    const text = Object.assign(document.createElement("p"), { role: "alert", textContent: "Couldn't load." });
    const button = Object.assign(document.createElement("button"), {
      type: "button",
      textContent: "Try again",
    });
    button.className = "small secondary";
    button.addEventListener("click", () => {
      failure.remove();
      again();
    });
    failure.append(text, button);
    part.prepend(failure);
    // After a second failure, the button that was clicked is gone.
    if (document.activeElement === document.body) button.focus();
  };

  const newest = new WeakMap();
  /** Loads a page and gives what it has at `selector` to `show`, unless the same part loads another one meanwhile. */
  globalThis.loadPart = async (part, address, selector, show) => {
    const end = showLoading(part);
    newest.set(part, end);
    const isNewest = () => newest.get(part) === end;
    try {
      const response = await fetch(address, { headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!isNewest()) return;
      // To sign in again, for example.
      if (response.redirected) return location.assign(address);
      // The page of an error has none.
      const found = page.querySelector(selector);
      if (!found) throw new Error("Not found");
      show(found);
    } catch {
      if (isNewest()) showNotLoaded(part, () => loadPart(part, address, selector, show));
    } finally {
      end();
    }
  };

  addEventListener("focusin", ({ target }) => {
    if (target.matches("[data-select]")) target.select();
  });

  addEventListener("keydown", ({ key, target }) => {
    const menu = key === "Escape" && target.closest("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // The second click of a double click would create a second app, or replace a page that shows a secret by an error.
  const sent = new Set();
  addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (sent.has(form)) return event.preventDefault();
    sent.add(form);
    // Later, because the browser does not send the value of a disabled button.
    setTimeout(() => switchButtons(form, true));
  });
  addEventListener("pageshow", () => {
    for (const form of sent) switchButtons(form, false);
    sent.clear();
  });

  function switchButtons(form, disabled) {
    for (const button of form.querySelectorAll("button:not([type=button])")) button.disabled = disabled;
  }
}
