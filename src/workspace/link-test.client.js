/** Shows the test of a link on the link's page, in the place of a page of its own. */
export function script() {
  addEventListener("click", (event) => {
    const { target } = event;
    const link = target.closest("a[data-test-link]");
    const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (link && isPlain) {
      event.preventDefault();
      showTest(link.href);
    }
    if (target.closest("[data-close-test]")) {
      document.querySelector("#test-panel").hidden = true;
      document.querySelector("a[data-test-link]").focus();
    }
  });

  addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.closest("#test-panel")) return;
    event.preventDefault();
    showTest(`${form.action}?${new URLSearchParams(new FormData(form))}`);
  });

  async function showTest(address) {
    const panel = document.querySelector("#test-panel");
    panel.hidden = false;
    await loadPart(panel, address, "[data-test]", (test) => {
      panel.replaceChildren(test);
      panel.querySelector("[data-close-test]").hidden = false;
      panel.querySelector("[role=alert], #test-result").focus({ preventScroll: true });
      // Without an animation.
      panel.scrollIntoView();
    });
  }
}
