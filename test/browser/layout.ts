/** What must hold for the layout of every page, measured in the browser. */
import type { Page } from "playwright-core";

/** Runs in the page and returns what is wrong. */
const MEASURE = `(() => {
  const problems = [];
  const main = document.querySelector("main");
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) problems.push("the page is " + scrollWidth + " px wide in " + clientWidth + " px");

  // A number between spaces, with its currency and unit. In a name or a token it is text.
  const NUMBER = /(?<!\\S)[(<~+−]*\\p{Sc}?\\d[\\d.,]*[%KM]?\\)?(?!\\S)/gu;
  const TEXT = "code, pre, textarea, option, svg, bdi, .visually-hidden";
  const range = document.createRange();
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (!/\\d/.test(data) || parentElement.closest(TEXT) || !parentElement.checkVisibility()) continue;
    for (const { 0: number, index } of data.matchAll(NUMBER)) {
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + number.length);
      const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
      if (new Set(boxes.map(({ top }) => Math.round(top))).size > 1) problems.push(number + " is wrapped");
      for (let element = parentElement; element !== main && boxes[0]; element = element.parentElement) {
        const { overflowX } = getComputedStyle(element);
        if (overflowX === "visible") continue;
        if (overflowX !== "hidden" && overflowX !== "clip") break;
        const { left, right, width } = element.getBoundingClientRect();
        if (width > 1 && (boxes[0].left < left - 1 || boxes.at(-1).right > right + 1)) problems.push(number + " is cut");
      }
    }
  }

  for (const table of main.querySelectorAll("table")) {
    if (!table.checkVisibility()) continue;
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
    // Lists of the console have 100 rows a page, others 50, and reports a total. Open links have theirs in addition.
    const most = /^\\/operator/.test(location.pathname) || /[?&]open=/.test(location.search) ? 100 : 51;
    if (rows.length > most) problems.push("a table has " + rows.length + " rows");
    if (table.matches(".legend")) continue;
    // Below 640 px a row is a card, which does not scroll.
    if (innerWidth < 640)
      for (const cell of table.querySelectorAll("tbody > tr > td"))
        if (cell.scrollWidth > cell.clientWidth + 1) problems.push(cell.textContent.trim().slice(0, 40) + " is cut");
    for (const { firstElementChild, firstChild } of table.querySelectorAll("thead th")) {
      const word = (firstElementChild ?? firstChild)?.textContent.trim() ?? "";
      const link = firstElementChild?.getClientRects().length ?? 1;
      if (link > 1 && !/\\s/.test(word)) problems.push("the heading " + word + " is broken");
    }
    for (const head of table.querySelectorAll("tbody th[scope=row]")) {
      const name = head.querySelector("bdi, a") ?? head;
      const isWrapped = name.getClientRects().length > 1 || head.clientHeight > 110;
      if (innerWidth >= 1000 && isWrapped && head.clientWidth < 256) problems.push(head.textContent.trim().slice(0, 40) + " has " + head.clientWidth + " px");
    }
  }

  // Below tabs, each heading is at one of two heights, without a path above it and with one, and blocks are at least 12 px apart.
  if (innerWidth === 1280 && document.querySelector(".top .tabs")) {
    const blocks = [...(main.querySelector(":scope > [data-part]:first-child") ?? main).children].filter(
      (one) => one.checkVisibility() && one.clientHeight > 1 && getComputedStyle(one).position !== "absolute" && !one.matches("script, .selection"),
    );
    const [first, second] = blocks;
    const place = (one) => one.getBoundingClientRect();
    const top = Math.round(place(document.querySelector("h1")).top + scrollY);
    const expected = first.matches("h1, .head") ? 100 : first.matches(".breadcrumb") && first.clientHeight < 40 ? 137 : top;
    if (top !== expected) problems.push("the heading is at " + top + " px");
    if (first.matches("h1, .head") || second?.matches("h1, .head"))
      for (const [index, one] of blocks.entries()) {
        const gap = index === 0 ? 12 : Math.round(place(one).top - place(blocks[index - 1]).bottom);
        if (gap < 12) problems.push(gap + " px above " + one.outerHTML.slice(0, 60));
      }
  }

  // What a list of headings leads to: before each table and chart, a heading below that of the page.
  let heading = "";
  for (const element of main.querySelectorAll("h1, h2, h3, .table, .daily-chart")) {
    if (element.matches("h1, h2, h3")) heading = element.tagName;
    else if (heading === "H1" || heading === "") {
      const name = element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40);
      problems.push(name + " has no heading");
    }
  }

  // A figure, a row of a list, a step, the URL of a link, a field of a form that changes something, or what follows the first heading.
  const FIELDS = "form[method=post] :is(input, select, textarea)";
  const tops = [...main.querySelectorAll(FIELDS + ", .figures li, tbody tr, dd, ol:not(nav *) > li, .secret code, a.button, h2 + *")]
    .filter((element) => element.checkVisibility())
    .map((element) => element.getBoundingClientRect().top + scrollY);
  if (innerWidth === 390 && tops.length > 0 && Math.min(...tops) > 600) problems.push("the first figure is at " + Math.round(Math.min(...tops)) + " px");
  return [...new Set(problems)];
})()`;

/** What is wrong with the layout of a page: a number that is cut or wrapped, a narrow name, an endless table, a page that is too wide. */
export const measureLayout = async (page: Page): Promise<string[]> => page.evaluate(MEASURE);
