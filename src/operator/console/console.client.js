// Copies secrets and URLs, shows the current tab, and sends a form once. Every page works without it.

const current = document.querySelector(".tabs [aria-current]");
if (current) current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.offsetLeft;

for (const button of document.querySelectorAll("[data-copy]")) {
  const label = button.firstChild;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    label.data = "Copied";
    document.querySelector("#copied").textContent = "Copied";
    setTimeout(() => {
      label.data = "Copy";
      document.querySelector("#copied").textContent = "";
    }, 2000);
  });
}

// The second click of a double click would create a second app, or replace a page that shows a secret by an error.
const sent = new Set();
addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
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
