/**
 * The script of the pages under /docs: results of the search while the reader types, and a button that copies a sample. The pages
 * also work without it.
 */
export function script() {
  const form = document.querySelector(".docs-search");
  const input = form.querySelector("input");
  const status = form.querySelector("[role=status]");
  const panel = form.querySelector(".docs-results");
  const PAUSE_MS = 150;

  let timer;
  let request = new AbortController();

  function close() {
    clearTimeout(timer);
    request.abort();
    panel.hidden = true;
    status.textContent = "";
  }

  async function show() {
    request.abort();
    request = new AbortController();
    const end = showLoading(form);
    const query = new URLSearchParams({ q: input.value });
    try {
      const response = await fetch(`${form.action}?${query}`, { signal: request.signal });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const results = page.querySelector("article .results");
      if (!response.ok || !results) throw new Error(response.statusText);
      const count = page.querySelector("[data-status]").textContent;
      status.textContent = count;
      panel.replaceChildren(results.childElementCount > 0 ? results : count);
      panel.hidden = false;
    } catch (error) {
      if (error.name === "AbortError") return;
      panel.replaceChildren();
      showNotLoaded(panel, show);
      panel.hidden = false;
    } finally {
      end();
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    if (input.value.trim() === "") return close();
    timer = setTimeout(show, PAUSE_MS);
  });

  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) {
      event.preventDefault();
      close();
      input.focus();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [input, ...panel.querySelectorAll("a")];
    const next = stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (panel.hidden || !stops[next]) return;
    event.preventDefault();
    stops[next].focus();
  });

  form.addEventListener("submit", close);
  form.addEventListener("focusout", (event) => {
    if (!form.contains(event.relatedTarget)) close();
  });

  /** The text of a sample. Of a block with output, only the commands. */
  function textOf(sample) {
    const commands = [...sample.querySelectorAll("kbd")].map((command) => command.textContent);
    return commands.length > 0 ? commands.join("\n") : sample.textContent;
  }

  for (const sample of document.querySelectorAll("article pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "secondary";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(textOf(sample));
        button.textContent = "Copied";
      } catch {
        button.textContent = "Select and copy the text";
      }
    });
    const box = document.createElement("div");
    box.className = "sample";
    sample.replaceWith(box);
    box.append(sample, button);
  }
}
