/** A button below each password shows what was entered, until the form is sent. */
export function script() {
  for (const input of document.querySelectorAll("input[type=password]")) {
    const button = document.createElement("button");
    const textContent = `Show ${input.name === "credential" ? "credential" : "password"}`;
    Object.assign(button, { type: "button", className: "small secondary reveal", textContent });
    button.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-controls", input.id);
    const show = (isShown) => {
      input.type = isShown ? "text" : "password";
      button.setAttribute("aria-pressed", String(isShown));
    };
    button.addEventListener("click", () => show(input.type === "password"));
    // A browser remembers texts that a form sends, and not passwords.
    input.form?.addEventListener("submit", () => show(false));
    addEventListener("pagehide", () => show(false));
    input.after(button);
  }
}
