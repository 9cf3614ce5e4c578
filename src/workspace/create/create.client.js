/** The preview beside the form for a link follows what is entered: it is what a button shows without this script. */
export function script() {
  const form = document.querySelector("#create");
  const preview = () => document.querySelector("[aria-labelledby=path-preview]");
  const PAUSE_MS = 300;

  let pause;
  form.addEventListener("input", () => {
    clearTimeout(pause);
    const mine = setTimeout(async () => {
      const body = new URLSearchParams(new FormData(form));
      body.set("check", "yes");
      const headers = { accept: "text/html" };
      const end = showLoading(preview());
      const response = await fetch(form.action, { method: "POST", headers, body }).catch(() => undefined);
      const page = new DOMParser().parseFromString((await response?.text()) ?? "", "text/html");
      const found = page.querySelector("[aria-labelledby=path-preview]");
      end();
      if (mine !== pause) return;
      if (found) show(found);
      else if (!response || response.status >= 500)
        showNotLoaded(preview(), () => form.dispatchEvent(new Event("input")));
    }, PAUSE_MS);
    pause = mine;
  });

  /** The focus stays in the form. */
  function show(found) {
    found.querySelector("[autofocus]")?.removeAttribute("autofocus");
    found.querySelector("[data-without-script]").hidden = true;
    preview().replaceWith(found);
  }
  show(preview().cloneNode(true));
}
