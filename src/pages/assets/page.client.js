// The script of every page: copies texts, closes menus, shows the current tab, and sends a form once. Every page works without it.

const current = document.querySelector(".tabs [aria-current]");
if (current) current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.offsetLeft;

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
