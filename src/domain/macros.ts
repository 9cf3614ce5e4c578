/**
 * Macros that a network did not fill, and placeholders of programs that had no value. Either is the same for every click, so it
 * identifies none. All functions take linear time.
 */

/** A macro's own name, between its marks. */
const NAME = /^[\w.-]+$/;
const LETTER = /[A-Za-z]/;

/** A cost ID is made by programs, so it can have a macro in more forms than a name, which people write. */
export type MacroPlace = "cost_id" | "name";

/** Why a value of a URL or a call cannot be used. */
export type Unusable = "unfilled_macro" | "placeholder";

/** Why a value is no value of its own; undefined if it is one. A client can have percent-encoded it once more. */
export function findUnusable(value: string, place: MacroPlace): Unusable | undefined {
  const forms = decodings(value.trim());
  if (forms.some((form) => isPlaceholder(form, place))) return "placeholder";
  return forms.some((form) => isMacro(form, place)) ? "unfilled_macro" : undefined;
}

function isMacro(value: string, place: MacroPlace): boolean {
  return (
    hasBetween(value, "{", "}") ||
    hasBetween(value, "%%", "%%") ||
    (value.startsWith("__") && value.endsWith("__") && NAME.test(value.slice(2, -2))) ||
    MARKS[place].some((marks) => value[0] === marks[0] && isWrapped(value, marks)) ||
    (place === "cost_id" && ((value.includes("[") && hasBrackets(value)) || hasUnderscores(value)))
  );
}

/** The first and the last character of a whole value. `#SALE#` is a name. */
const MARKS = { name: ["$$", "<>", "%%", "[]"], cost_id: ["$$", "<>", "%%", "[]", "##", "!!", "@@", "()"] };

/** Whether the value is a name in one or more pairs of marks. */
function isWrapped(value: string, [open, close]: string): boolean {
  let depth = 0;
  while (value[depth] === open && value.at(-1 - depth) === close && 2 * depth < value.length) depth++;
  return depth > 0 && NAME.test(value.slice(depth, -depth));
}

function hasBetween(value: string, open: string, close: string): boolean {
  const at = value.indexOf(open);
  return at >= 0 && value.lastIndexOf(close) >= at + open.length;
}

/** `acme_[CLICK_ID]` has a macro, `[abc]-123456-[x]` has none. */
function hasBrackets(value: string): boolean {
  return [...value.matchAll(/\[([\w.-]+)\]/g)].some(
    ([, name = ""]) => name.includes("_") || /^[A-Z]{3,}$/.test(name),
  );
}

/** Whether the value begins or ends with `__NAME__`. Within it, two underscores separate the parts of an ID. */
function hasUnderscores(value: string): boolean {
  const isNamed = (text: string) => LETTER.test(text);
  const start = value.startsWith("__") ? (/^[\w.-]+/.exec(value)?.[0] ?? "") : "";
  if (isNamed(start.slice(2, Math.max(2, start.lastIndexOf("__"))))) return true;
  if (!value.endsWith("__")) return false;
  let from = value.length;
  while (from > 0 && NAME.test(value.charAt(from - 1))) from--;
  const end = value.slice(from, -2);
  const at = end.indexOf("__");
  return at >= 0 && isNamed(end.slice(at + 2));
}

/** What programs write where they have nothing: the advertising ID without permission, and empty values as text. */
const NOTHING = new Set([
  "null",
  "undefined",
  "none",
  "nil",
  "nan",
  "(null)",
  "(none)",
  "(not set)",
  "[object object]",
]);
const ZEROS = "0".repeat(32);
const ZERO_UUID = "00000000-0000-0000-0000-000000000000";

/** The same words and the digit zero in a cost ID: the templates of clients also join them without anything between them. */
const NOTHING_IN_ID = /undefined|null|none|nil|nan|not set|object object|0/g;

/** Only these, also joined to each other. Joined to anything else they can be part of an ID. */
function isPlaceholder(value: string, place: MacroPlace): boolean {
  const text = value.toLowerCase();
  if (place === "cost_id") {
    const rest = text.replace(NOTHING_IN_ID, "");
    return rest !== text && /^[\s\p{P}\p{S}]*$/u.test(rest) && !/[{}%]/.test(rest);
  }
  const words = text.replaceAll(ZERO_UUID, "nil").replaceAll(ZEROS, "nil");
  return words.split(/[_.:|/,~-]+/).every((part) => NOTHING.has(part));
}

/** Chains of redirects encode a value again. */
const MAX_DECODINGS = 3;

/** The value, and what is left when its percent-encoded ASCII is decoded again and again. */
function decodings(value: string): string[] {
  const forms = [value];
  for (let form = value; forms.length <= MAX_DECODINGS; forms.push(form)) {
    const before = form;
    form = form.replace(/%[0-7][\dA-Fa-f]/g, (code) =>
      String.fromCharCode(Number.parseInt(code.slice(1), 16)),
    );
    if (form === before) break;
  }
  return forms;
}

/** Only letters, digits, spaces and the separators of IDs. A macro of an unknown form is never plain. */
const isPlain = (value: string) => /^[\p{L}\p{M}\p{N} _.-]*$/u.test(value);

/** Whether a value of a partner's template, decoded once, is a macro: the network replaces it. A number such as `0,25` is none. */
export const isTemplateMacro = (value: string): boolean =>
  (!isPlain(value) && /\p{L}/u.test(value)) || findUnusable(value, "cost_id") === "unfilled_macro";

/**
 * A value in the form that is compared with the macros of a template, because the network can bring a form that nobody listed;
 * null if it is plain, so no macro of a template equals it.
 */
export function toComparable(value: string): string | null {
  const decoded = decodings(value.trim()).at(-1) ?? "";
  if (isPlain(decoded)) return null;
  // Normalizing sorts accents, which takes longer than linear time, and no macro is that long.
  return decoded.length > MAX_NORMALIZED ? decoded : decoded.normalize("NFC");
}

const MAX_NORMALIZED = 1_000;

/** No macro is longer. It keeps small what a batch of costs sends twice. */
const MAX_MACRO = 64;

/** The comparable form of a value, if it is another text that can be a macro. */
export function toOtherForm(value: string): string | null {
  const comparable = toComparable(value);
  return comparable === value || (comparable?.length ?? 0) > MAX_MACRO ? null : comparable;
}

/** The comparable form of a value that is no number, if it can be a macro. */
export function toMacro(value: string): string | null {
  const comparable = /\p{L}/u.test(value) ? toComparable(value) : null;
  return (comparable?.length ?? 0) > MAX_MACRO ? null : comparable;
}

/** Whether a value is one of the macros that `listMacros` wrote. */
export function isListed(value: string, macros: string): boolean {
  const comparable = toComparable(value);
  return comparable !== null && macros.includes(`\n${comparable}\n`);
}
