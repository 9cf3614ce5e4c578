/** Keeps the selection of links in the address. Every page works without it. */
export function script() {
  // Back and Forward change what is shown, and not what is selected. The script that shows it comes after this one.
  addEventListener("popstate", () => {
    if (selection) history.replaceState(null, "", withSelection(location.href));
  });

  // The tokens of the selected links, once they differ from those of the page.
  let selection;

  function withSelection(address) {
    const url = new URL(address);
    if (selection.size > 0) url.searchParams.set("selected", [...selection].join());
    else url.searchParams.delete("selected");
    return url.href;
  }

  addEventListener("change", ({ target }) => {
    if (!target.matches("input[type=checkbox][form=selection]")) return;
    const form = document.querySelector("#selection");
    const current = new URL(location.href).searchParams.get("selected");
    selection ??= new Set(current ? current.split(",") : []);
    const { max } = form.parentElement.dataset;
    if (target.checked && selection.size >= Number(max)) {
      target.checked = false;
      showCount(`You can select up to ${max} links.`);
      return;
    }
    if (target.checked) selection.add(target.value);
    else selection.delete(target.value);
    history.replaceState(null, "", withSelection(location.href));
    form.elements.back.value = location.search;
    form.parentElement.hidden = selection.size === 0;
    showPartner();
    for (const link of document.querySelectorAll("main a[href]")) {
      const isSamePage = new URL(link.href).pathname === location.pathname;
      if (isSamePage && !link.matches("[data-own-selection]")) link.href = withSelection(link.href);
    }
    for (const get of document.querySelectorAll("form.filters, .period form")) {
      const input = get.elements.selected ?? get.appendChild(document.createElement("input"));
      Object.assign(input, { type: "hidden", name: "selected", value: [...selection].join() });
    }
    showCount(selection.size === 0 ? "No links selected" : `${selection.size} selected`);
  });

  /** The boxes of the links on the page, in their order. */
  const boxes = () => [...document.querySelectorAll("input[type=checkbox][form=selection]")];
  /** As a click on each, so that the same happens. */
  function checkAll(some, isChecked) {
    for (const box of some) if (box.checked !== isChecked) box.click();
  }

  let lastBox;
  addEventListener("click", ({ target, shiftKey }) => {
    if (!target.matches("input[type=checkbox][form=selection]")) return;
    const all = boxes();
    const [from, to] = [all.indexOf(lastBox), all.indexOf(target)].sort((one, other) => one - other);
    if (shiftKey && from >= 0) checkAll(all.slice(from, to + 1), target.checked);
    lastBox = target;
  });

  /** A box in the head of the table, for all links on the page. */
  function addHead() {
    const head = document.querySelector(".links thead th");
    if (!head || boxes().length === 0) return;
    const all = document.createElement("input");
    Object.assign(all, { type: "checkbox", ariaLabel: "Select all links on this page" });
    const show = () => (all.checked = boxes().every(({ checked }) => checked));
    show();
    all.addEventListener("change", () => checkAll(boxes(), all.checked));
    head.closest("table").addEventListener("change", show);
    head.prepend(all, " ");
  }
  addHead();

  function showCount(text) {
    document.querySelector("[data-selected-count]").textContent = text;
  }

  function hideWithScript() {
    for (const element of document.querySelectorAll("[data-without-script]")) element.hidden = true;
  }
  hideWithScript();

  /** The bar for selected links is there while links are selected, and the partner while one can be attached. */
  function showSelection() {
    const form = document.querySelector("#selection");
    if (!form) return;
    const count = document.querySelector("[data-selected-count]").textContent;
    form.parentElement.hidden = /^No /.test(count);
    form.elements.action.addEventListener("change", showPartner);
    showPartner();
  }
  function showPartner() {
    const { action, partner, target } = document.querySelector("#selection").elements;
    partner.closest(".field").hidden = action.value !== "attach";
    target.closest(".field").hidden = action.value !== "target";
  }
  showSelection();

  addEventListener("replaced", () => {
    hideWithScript();
    showSelection();
    addHead();
  });
}
