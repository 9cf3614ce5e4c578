/**
 * The script of the account page. Every form also works without it. With it, Show and Reset stay in their dialog until they
 * succeed, and the token can be copied.
 */
export function script() {
  for (const dialog of document.querySelectorAll("dialog")) {
    const form = dialog.querySelector("form");
    const password = form.elements.password;
    const error = form.querySelector(".field-error");
    let busy = false;

    const showError = (text) => {
      error.textContent = text;
      password.removeAttribute("aria-invalid");
      if (text) {
        password.setAttribute("aria-invalid", "true");
        password.focus();
        password.select();
      }
    };

    dialog.addEventListener("close", () => {
      form.reset();
      showError("");
    });

    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (busy) return;
      busy = true;
      const end = showLoading(dialog);
      showError("");
      try {
        const response = await fetch(form.action, {
          method: "POST",
          headers: { accept: "text/html" },
          body: new URLSearchParams(new FormData(form)),
        });
        if (response.redirected) return location.assign(response.url);
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const rejected = page.querySelector("[data-error]");
        if (rejected) return showError(rejected.textContent);
        document.querySelector("#token").replaceWith(page.querySelector("#token"));
        document.querySelector("[role=status]").textContent = page.querySelector("[role=status]").textContent;
        dialog.close();
        dispatchEvent(new Event("replaced"));
        document.querySelector("#token-text")?.focus();
      } catch {
        showError("The server didn't respond. Reload this page to see your current token, then try again.");
      } finally {
        end();
        busy = false;
      }
    });
  }

  // For browsers that do not support commandfor yet.
  if (!("commandForElement" in HTMLButtonElement.prototype)) {
    addEventListener("click", ({ target }) => {
      const button = target.closest("button[commandfor]");
      const dialog = button && document.getElementById(button.getAttribute("commandfor"));
      if (button?.getAttribute("command") === "show-modal") dialog.showModal();
      else dialog?.close();
    });
  }
}
