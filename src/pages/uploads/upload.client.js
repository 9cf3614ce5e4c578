/**
 * Sends a file that is too large for one request in parts: it checks all of them, and imports the rows that are good after a
 * confirmation. Smaller files and pasted cells are sent as a form, as without this script. The attributes of the form have the
 * paths and the words.
 */
export function script() {
  const MAX_FILE_BYTES = 10_000_000;
  const MAX_ROWS = 1_000;
  const MAX_PART_BYTES = 1_000_000;
  const MAX_FORM_BYTES = 1024 * 1024;
  const MAX_SHOWN = 100;
  const SAMPLE_ROWS = 5;
  const MAX_ATTEMPTS = 5;

  const form = document.querySelector("#upload");
  const panel = document.querySelector("#progress");
  const encoder = new TextEncoder();
  const numberOf = (count) => count.toLocaleString("en-US");
  const textOf = (count) => `${numberOf(count)} ${count === 1 ? form.dataset.one : form.dataset.many}`;

  form?.addEventListener("submit", async (event) => {
    const [file] = form.elements.file.files;
    if (!file || form.elements.cells?.value.trim()) return;
    event.preventDefault();
    if (file.size > MAX_FILE_BYTES)
      return start("The file has more than 10 MB. Split it into smaller files.");
    const text = await decode(file);
    const [named, one] = /^\s*"?sep=([,;\t|])"?[,;|\t ]*(?:\r\n|\r|\n|$)/i.exec(text ?? "") ?? [""];
    const [header, ...rows] = text === undefined ? [] : splitRows(text, named.length);
    if (file.size <= MAX_FORM_BYTES && rows.length <= MAX_ROWS) return submitWhole();
    if (text === undefined) return start(`The file ${await whyUnreadable(file)}. Nothing was imported.`);
    if (rows.length === 0) return submitWhole();
    separator = one ?? [",", ";", "\t", "|"].find((sign) => header.line.includes(sign)) ?? ",";
    const numbered = rows
      .filter(({ line }) => cellsOf(line).some((cell) => cell.trim() !== ""))
      .map(({ row, line }, at) => ({ row, line: [row, at + 1, line].join(separator) }));
    const columns = ["row", "nth", header.line].join(separator);
    await check(`sep=${separator}\n${columns}`, inLevels(columns, numbered));
  });

  const counter = form?.querySelector("[data-count-of]");
  form?.elements.cells?.addEventListener("input", ({ target }) => {
    const count = target.value.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "").length;
    counter.textContent = count > 0 ? `${numberOf(count)} of ${numberOf(Number(counter.dataset.most))}.` : "";
  });

  /** A bar until the next page is there, and not after Back. It has no steps, because one request has all rows. */
  function showWork(one, isWorking) {
    one.setAttribute("aria-busy", isWorking);
    one.querySelector("progress").hidden = !isWorking;
    one.querySelector("button").disabled = isWorking;
  }
  function submitWhole() {
    showWork(form, true);
    form.submit();
  }
  for (const one of [form, document.querySelector("#confirm")].filter(Boolean)) {
    one.addEventListener("submit", (event) => event.defaultPrevented || showWork(one, true));
    addEventListener("pageshow", () => showWork(one, false));
  }

  /** What all rows of the file get is in the query. */
  function pathFor(address) {
    const url = new URL(address, location.href);
    for (const [name, value] of new FormData(form))
      if (!/^(file|cells)$/.test(name) && value) url.searchParams.set(name, value);
    return url;
  }

  /** Between the values of a row: what the server takes for it too. */
  let separator = ",";

  /** An Excel workbook is a ZIP archive. */
  async function whyUnreadable(file) {
    const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    if (first === 0x50 && second === 0x4b) return form.dataset.workbook;
    const isUtf16 = (first ^ second) === 1 || first === 0 || second === 0;
    return isUtf16 ? form.dataset.utf16 : form.dataset.notUtf8;
  }

  /** The values of a row, without their quotes. */
  function cellsOf(line) {
    const cells = [""];
    let isQuoted = false;
    for (const character of line) {
      if (character === '"') isQuoted = !isQuoted;
      else if (character === separator && !isQuoted) cells.push("");
      else cells[cells.length - 1] += character;
    }
    return cells;
  }

  /** Rows that others can be below come first: those without a value in the last columns that the form names. */
  function inLevels(header, rows) {
    const toKey = (name) => name.toLowerCase().replace(/[\s_-]/g, "");
    const names = cellsOf(header).map((name) => toKey(name).replace(/name$/, ""));
    const columns = (form.dataset.levels ?? "")
      .split(" ")
      .map((level) => names.findIndex((name) => level.split("|").map(toKey).includes(name)));
    const levelOf = (cells) => columns.findLastIndex((column) => cells[column]);
    return rows
      .map((row) => ({ row, level: levelOf(cellsOf(row.line)) }))
      .sort((one, other) => one.level - other.level)
      .map(({ row }) => row);
  }

  async function decode(file) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      return text.slice(0, 2).includes("\0") ? undefined : text;
    } catch {
      return undefined;
    }
  }

  /** The rows that are not empty, with the line on which each begins. A quoted value can contain line ends. */
  function splitRows(text, from) {
    const rows = [];
    let [row, start, isQuoted] = [1, 0, false];
    let line = 1;
    for (let at = 0; at <= text.length; at++) {
      if (text[at] === '"') isQuoted = !isQuoted;
      const isEnd = text[at] === "\n" || (text[at] === "\r" && text[at + 1] !== "\n");
      if (isEnd) line++;
      if (at < text.length && (isQuoted || !isEnd)) continue;
      const found = text.slice(start, at).replace(/\r$/, "");
      if (found !== "" && start >= from) rows.push({ row, line: found });
      [row, start] = [line, at + 1];
    }
    return rows;
  }

  /** Parts that one request can take. */
  function* partsOf(header, rows) {
    let part = [];
    let bytes = encoder.encode(header).length;
    for (const row of rows) {
      const size = encoder.encode(row.line).length + 1;
      if (part.length === MAX_ROWS || (part.length > 0 && bytes + size > MAX_PART_BYTES)) {
        yield part;
        part = [];
        bytes = encoder.encode(header).length;
      }
      part.push(row);
      bytes += size;
    }
    if (part.length > 0) yield part;
  }

  const status = panel?.querySelector("[role=status]");
  const bar = panel?.querySelector("progress");
  const problems = panel?.querySelector(".table");
  const importButton = panel?.querySelector("#import");
  const download = panel?.querySelector("#download");
  const list = panel?.querySelector("#list");
  const undo = panel?.querySelector("#undo");
  /** The words of the states, and of those of rows that change something. */
  const [words, changeWords] = JSON.parse(form?.dataset.words ?? "[]");

  /** Shows the panel with a text and without the results of an earlier file. */
  function start(text, title = "Check") {
    panel.hidden = false;
    for (const one of [bar, problems, importButton, download, list, undo]) if (one) one.hidden = true;
    panel.querySelector("h2").textContent = title;
    status.textContent = text;
    panel.querySelector("h2").focus();
  }

  /** What the parts of the last import are undone by. */
  let undoId;

  /** Sends the rows in parts to a path, and returns the results of all of them. */
  async function sendAll(path, header, rows, title) {
    start("", title);
    undoId = undefined;
    bar.hidden = false;
    bar.max = rows.length;
    const results = [];
    for (const part of partsOf(header, rows)) {
      bar.value = results.length;
      status.textContent = `${numberOf(results.length)} of ${numberOf(rows.length)} rows`;
      const answer = await send(path, [header, ...part.map(({ line }) => line)].join("\n"));
      // A row that does not fit the header has lost its own number.
      for (const [index, result] of answer.rows.entries()) {
        const { row } = part[index];
        results.push({ ...result, row, line: result.line.replace(/^\d+/, row) });
      }
      resultHeader = answer.header;
      undoId ??= answer.undo;
    }
    bar.hidden = true;
    return results;
  }

  let resultHeader = "";

  /** Sends a part again while the server is busy: a cost that was stored before is a duplicate. */
  async function send(path, body) {
    for (let attempt = 1; ; attempt++) {
      const headers = { "content-type": "text/csv", accept: "application/json" };
      const url = pathFor(path);
      if (undoId) url.searchParams.set("part_of", undoId);
      const response = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
      if (response?.ok) return response.json();
      const isBusy = response === undefined || response.status === 429 || response.status === 503;
      if (!isBusy || attempt === MAX_ATTEMPTS) throw new Error(await describe(response));
      const seconds = Number(response?.headers.get("retry-after")) || attempt;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }

  async function describe(response) {
    const problem = await response?.json().catch(() => undefined);
    return problem?.detail ?? "The server didn't respond.";
  }

  async function check(header, rows) {
    let checked;
    try {
      const sent = await sendAll(form.action, header, rows, "Check");
      checked = withoutRepeats(sent).sort((left, right) => left.row - right.row);
    } catch (error) {
      return start(`${error.message} Nothing was imported.`);
    }
    const isReady = new Set(checked.filter(({ state }) => state === "ready").map(({ row }) => row));
    status.textContent = `Nothing is imported yet. ${summarize("ready", checked, checked)}`;
    showResults(checked);
    importButton.hidden = isReady.size === 0;
    const [items, changes] = [countItems(checked, "ready"), countChanges(checked, "ready")];
    const parts = [items > 0 && `import ${textOf(items)}`, changes > 0 && `change ${textOf(changes)}`];
    importButton.textContent = parts
      .filter(Boolean)
      .join(" and ")
      .replace(/^./, (first) => first.toUpperCase());
    importButton.onclick = () =>
      importAll(
        header,
        rows.filter(({ row }) => isReady.has(row)),
        checked.filter(({ row }) => !isReady.has(row)),
      );
  }

  async function importAll(header, rows, others) {
    let imported;
    try {
      imported = await sendAll(form.dataset.import, header, rows, "Import");
    } catch (error) {
      return start(
        `${error.message} Some ${form.dataset.many} may already be imported. Upload the file again: nothing is imported twice.`,
        "Import",
      );
    }
    const all = [...imported, ...others].sort((left, right) => left.row - right.row);
    status.textContent = summarize("imported", imported, all);
    showResults(all);
    list.hidden = false;
    if (undo && undoId) {
      undo.elements.change.value = undoId;
      undo.hidden = false;
    }
    panel.querySelector("h2").focus();
  }

  /** For example `12 would be imported, 3 were sent before, 0 are rejected.` */
  function summarize(state, good, all) {
    const { dataset } = form;
    const [duplicates, rejected] = [countOf(all, "duplicate"), countOf(all, "rejected")].map(numberOf);
    const changes = countChanges(good, state);
    const changed =
      changes > 0 ? ` ${numberOf(changes)} ${state === "ready" ? "would be changed" : "changed"},` : "";
    const marks = new Map();
    for (const mark of good.flatMap(({ marks = [] }) => marks)) marks.set(mark, (marks.get(mark) ?? 0) + 1);
    const marked = [...marks].map(([mark, count]) => ` ${mark}: ${numberOf(count)}.`).join("");
    return `${numberOf(countItems(good, state))}${describeKinds(good, state)} ${dataset[state]},${changed} ${duplicates} ${dataset.duplicate}, ${rejected} are rejected.${marked}`;
  }

  const createdBy = (results, state) =>
    results.filter((result) => result.state === state && !result.isChange);
  const keysOf = (rows) => [...new Set(rows.flatMap(({ creates = [] }) => creates))];

  /** How many things rows create. A row can create those above it too, which other rows need as well. */
  function countItems(results, state) {
    const rows = createdBy(results, state);
    return keysOf(rows).length + rows.filter(({ creates }) => creates === undefined).length;
  }

  /** ` (200 creatives, 20 ad groups)`. */
  function describeKinds(results, state) {
    const kinds = new Map();
    for (const key of keysOf(createdBy(results, state))) {
      const [kind] = key.split(":", 1);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const most = [...kinds].sort(([, one], [, other]) => other - one);
    const parts = most.map(([kind, count]) => `${numberOf(count)} ${kind}${count === 1 ? "" : "s"}`);
    return parts.length > 0 ? ` (${parts.join(", ")})` : "";
  }

  const countChanges = (results, state) =>
    results.filter((result) => result.state === state && result.isChange).length;

  const countOf = (results, state) => results.filter((result) => result.state === state).length;

  /** Each key can be in the file once. The server sees only the repeats in one part. */
  function withoutRepeats(results) {
    const seen = new Map();
    return results.map((result) => {
      if (result.state === "rejected") return result;
      const first = seen.get(result.key);
      if (first === undefined) seen.set(result.key, result.row);
      if (first === undefined) return result;
      const detail = result.repeat.detail.replace("{row}", first);
      const line = result.repeat.line.replace("{row}", first).replace(/^\d+/, result.row);
      return { ...result, state: "rejected", detail, line };
    });
  }

  function showResults(results) {
    const rejected = results.filter(({ state }) => state === "rejected");
    const sample = results.filter(({ state }) => state !== "rejected").slice(0, SAMPLE_ROWS);
    problems.hidden = false;
    const rows = [...rejected.slice(0, MAX_SHOWN), ...sample];
    problems.querySelector("tbody").replaceChildren(...rows.map(toTableRow));
    if (rejected.length > MAX_SHOWN)
      status.textContent += ` The table has the first ${MAX_SHOWN} rejected rows, and the file has all of them.`;
    if (download.href) URL.revokeObjectURL(download.href);
    // The byte order mark is for Excel.
    const lines = ["\ufeff", resultHeader, ...results.map(({ line }) => line)];
    download.href = URL.createObjectURL(new Blob(lines, { type: "text/csv" }));
    download.hidden = false;
  }

  function toTableRow({ row, name, state, isChange, marks = [], detail }) {
    const labels = [...problems.querySelectorAll("th[scope=col]")].map((head) => head.textContent);
    const line = document.createElement("tr");
    const word = (isChange && changeWords[state]) || words[state];
    const texts = [row, name ?? "", word, [...marks, detail].join(" ")];
    for (const [at, text] of texts.entries()) {
      const cell = line.appendChild(document.createElement(at === 0 ? "th" : "td"));
      cell.textContent = text;
      cell.dataset.label = labels[at];
      if (at === 0) cell.scope = "row";
    }
    return line;
  }
}
