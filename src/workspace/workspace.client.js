// Copies URLs, and opens branches of the tree without loading the whole page. Every page works without it.

function showCopyButtons() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
}
showCopyButtons();

addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) {
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
    return;
  }
  const link = event.target.closest("a[data-in-place]");
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (link && isPlain) {
    event.preventDefault();
    history.pushState(null, "", link.href);
    await showLinks(link.id);
  }
});

addEventListener("popstate", () => showLinks());

/** Replaces the list by that of the current address. Loads the page instead if anything is unusual. */
async function showLinks(focus) {
  const address = location.href;
  try {
    const response = await fetch(address, { headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const list = page.querySelector("#links");
    if (address !== location.href) return;
    if (!response.ok || response.redirected || !list) return location.reload();
    document.querySelector("#links").replaceWith(list);
    showCopyButtons();
    const target = focus ? document.getElementById(focus) : list.querySelector(".links");
    target?.focus();
  } catch {
    location.reload();
  }
}
