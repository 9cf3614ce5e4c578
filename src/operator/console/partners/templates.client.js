/** Shows the URLs that a partner's templates give while they are written. The server shows those of the present values. */
export function script() {
  const form = document.getElementById("templates");
  const textOf = (name) => form.elements.namedItem(name).value.trim();

  function show() {
    const cost = textOf("cost_parameters");
    const s2s = form.elements.namedItem("server_to_server").checked ? "s2s=1" : "";
    const queries = {
      click: [textOf("click_parameters"), cost],
      impression: [textOf("impression_parameters"), cost, s2s],
    };
    for (const [kind, parts] of Object.entries(queries)) {
      const preview = document.getElementById(`preview-${kind}`);
      const query = parts.filter((part) => part !== "").join("&");
      preview.textContent = preview.dataset.base + (query && `?${query}`);
    }
  }

  form?.addEventListener("input", show);
}
