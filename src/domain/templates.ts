/**
 * A partner's templates: query parameters with its macros, stored byte for byte and added to the URLs of its links. A mistake in one
 * loses every cost without an error, so they are judged when they are saved. Pure functions, in linear time.
 */
import { invisible } from "./characters.ts";
import { COST_TYPES } from "./cost-types.ts";
import { LEVEL_PARAMETERS } from "./engagements/sub-links.ts";
import { findUnusable, isTemplateMacro, toComparable } from "./macros.ts";
import { CURRENCY_CODES } from "./money.ts";
import { listOf } from "./texts.ts";

export const TEMPLATES = ["click_parameters", "impression_parameters", "cost_parameters"] as const;
export type TemplateName = (typeof TEMPLATES)[number];
export type Templates = Record<TemplateName, string>;

export type TemplateProblem = { param: TemplateName; message: string };

/** The parameters of a partner's template as they are written: it is not decoded, because its macros can contain any character. */
export function templatePairs(template: string): { name: string; value: string }[] {
  return template.split("&").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return { name, value: value.join("=") };
  });
}

const PRICE = ["cost_type", "cost_currency", "cost_amount"];
const COST_PARAMETERS = ["cost_id", ...PRICE];
const OWN_NAMES = new Set<string>([...COST_PARAMETERS, ...LEVEL_PARAMETERS]);
/** They choose where a person who clicks goes. */
const TARGETS = new Set(["fallback", "deep_link", "deeplink"]);

/** What is wrong with one template, each with what to write instead. */
export function judgeTemplate(param: TemplateName, template: string): string[] {
  if (template === "") return [];
  const corrected = correct(template);
  const instead = corrected.length > 0 && corrected.length <= 300 ? `; write ${corrected}` : "";
  const pairs = templatePairs(corrected);
  return [
    ...(/^[?&]/.test(template)
      ? [`must not begin with ${template[0]}, which is added before it${instead}`]
      : isUrl(template)
        ? [`must have only what follows the ? of a URL${instead}`]
        : []),
    ...(template.includes("#")
      ? [
          `must not have a #: a browser does not send it or what follows it${instead}, or %23 for a # in a value`,
        ]
      : []),
    ...(ENTITY.test(template) ? [`must have & instead of &amp;, which is only for HTML${instead}`] : []),
    ...strayCharacters(template, instead),
    ...notSeparated(template, instead),
    ...wrongCase(template, instead),
    ...repeatsIn(template, instead),
    ...pairs.flatMap(({ name }) => judgeName(param, name)),
    ...(param === "cost_parameters" ? judgeCostParameters(pairs) : []),
  ];
}

const ENTITY = /&amp;/i;
/** A name has no such character, so a URL was pasted. */
const isUrl = (template: string) => /^[^=&#{[<%$]*\?/.test(template);

/** The template without the mistakes that can be corrected without a question. */
function correct(template: string): string {
  const [before = ""] = template.split("#");
  const query = isUrl(before) ? before.slice(before.indexOf("?") + 1) : before;
  const seen = new Set<string>();
  return query
    .replace(/&amp;/gi, "&")
    .replaceAll(invisible(), "")
    .split("&")
    .flatMap(separate)
    .flatMap((pair) => {
      const at = pair.includes("=") ? pair.indexOf("=") : pair.length;
      const name = toOwn(pair.slice(0, at)).trim();
      if (pair === "" || seen.has(name)) return [];
      seen.add(name);
      return name + pair.slice(at);
    })
    .join("&");
}

/** Names are case-sensitive, and ours are in lower case and not percent-encoded. */
function toOwn(name: string): string {
  const own = plainName(name);
  return OWN_NAMES.has(own) ? own : name;
}

/** A name as a URL with it means it, in lower case. */
const plainName = (name: string) => (decodeName(name) ?? name).trim().toLowerCase();
// The leading ampersand keeps a question mark.
const decodeName = (name: string) => new URLSearchParams(`&${name}=`).keys().next().value;

/** A name with a space is another name, and with an invisible character a value is no name of a link. */
function strayCharacters(template: string, instead: string): string[] {
  const names = templatePairs(template).map(({ name }) => name);
  return [
    ...(names.some((name) => name.trim() !== name)
      ? [`must not have white space before or after a name${instead}`]
      : []),
    ...(template.search(invisible()) < 0 ? [] : [`must not have invisible characters${instead}`]),
  ];
}

/** Splits a parameter of ours whose value has another one, after a character that people take for the separator. */
function separate(pair: string): string[] {
  if (!OWN_NAMES.has(toOwn(pair.split("=", 1)[0] ?? ""))) return [pair];
  return pair
    .trimStart()
    .replace(/(?:[;?|,\s]|%26|%3f)(?=([a-z_]+)=)/gi, (separator, name: string) =>
      OWN_NAMES.has(name.toLowerCase()) ? "&" : separator,
    )
    .split("&");
}

function notSeparated(template: string, instead: string): string[] {
  const wrong = template.split("&").flatMap((pair) => separate(pair).slice(1));
  return wrong.map((pair) => `must have & before ${pair.split("=", 1)[0]}${instead}`);
}

function wrongCase(template: string, instead: string): string[] {
  const names = templatePairs(template).map(({ name }) => name);
  const wrong = names.map((name) => name.trim()).filter((name) => toOwn(name) !== name);
  return wrong.map((name) => {
    const how = /[%+]/.test(name) ? "without percent-encoding" : "in lower case";
    return `must have ${toOwn(name)} ${how}, not ${name}${instead}`;
  });
}

function repeatsIn(template: string, instead: string): string[] {
  const names = templatePairs(template).map(({ name }) => toOwn(name));
  const repeated = new Set(names.filter((name, at) => name !== "" && names.indexOf(name) !== at));
  return [...repeated].map((name) => `must name ${name} only once${instead}`);
}

function judgeName(param: TemplateName, name: string): string[] {
  const own = plainName(name);
  if (own === "s2s")
    return ["must not have s2s: it is added to the impression URLs of a partner that is server to server"];
  if (param !== "click_parameters" && (TARGETS.has(own) || own.startsWith("redirect")))
    return [`must not have ${name}, which only a click URL can have; move it to click_parameters`];
  if (param !== "cost_parameters" && COST_PARAMETERS.includes(own))
    return [`must not have ${name}; move it to cost_parameters`];
  if (own.startsWith("cost_") && !COST_PARAMETERS.includes(own))
    return [`must not have ${name}: the parameters of a cost are ${listOf(COST_PARAMETERS, "and")}`];
  return [];
}

function judgeCostParameters(pairs: { name: string; value: string }[]): string[] {
  const paramOf = (wanted: string) => pairs.find(({ name }) => name === wanted)?.value;
  const macroOr = (name: string, isKnown: (value: string) => boolean) => {
    const value = paramOf(name);
    return value === undefined || isTemplateMacro(decode(value)) || isKnown(value);
  };
  const messages = [];
  const id = paramOf("cost_id");
  const hasPrice = PRICE.every((name) => paramOf(name) !== undefined);
  if (id === undefined && !hasPrice)
    messages.push(
      "must have a cost_id, without which no cost can match; add cost_id={click_id} with the macro of the partner",
    );
  else if (id !== undefined && !isTemplateMacro(decode(id)))
    messages.push(
      "must have a macro as cost_id, because a fixed value would be the same for every click; write cost_id={click_id} with the macro of the partner",
    );
  if (!macroOr("cost_type", (value) => COST_TYPES.some((type) => type === value.toLowerCase())))
    messages.push(
      `must have a macro or one of ${COST_TYPES.join(", ")} as cost_type${paramOf("cost_type") === "cpa" ? "; write cost_type=cpe for a cost per action" : ""}`,
    );
  if (
    !macroOr(
      "cost_currency",
      (value) => /^[A-Za-z]{3}$/.test(value) && CURRENCY_CODES.has(value.toUpperCase()),
    )
  )
    messages.push("must have a macro or an ISO 4217 code as cost_currency, for example USD");
  if (!macroOr("cost_amount", (value) => /^(?:0|[1-9]\d{0,6})(?:\.\d{1,5}0*)?$/.test(value)))
    messages.push("must have a macro or a decimal with at most 5 places as cost_amount, for example 0.25");
  return messages;
}

/** The value as the Worker reads it from a URL. */
const decode = (value: string) => new URLSearchParams(`v=${value}`).get("v") ?? "";

/**
 * The macros that our parameters have in the templates and whose form is not known otherwise, comparable, each with a line break
 * before and after it; empty if there are none.
 */
export function listMacros(templates: Templates): string {
  const values = TEMPLATES.flatMap((param) => templatePairs(templates[param]))
    .filter(({ name }) => OWN_NAMES.has(name))
    .map(({ value }) => decode(value))
    .filter((value) => findUnusable(value, "name") !== "unfilled_macro");
  const macros = new Set(values.flatMap((value) => toComparable(value) ?? []));
  return macros.size === 0 ? "" : `\n${[...macros].join("\n")}\n`;
}

/** Names that a URL would have twice, from the click or impression parameters and the cost parameters. */
export function judgeTogether(templates: Templates): TemplateProblem[] {
  const namesOf = (template: string) => templatePairs(template).map(({ name }) => toOwn(name));
  const cost = new Set(namesOf(templates.cost_parameters).filter((name) => name !== ""));
  return (["click_parameters", "impression_parameters"] as const).flatMap((param) =>
    [...new Set(namesOf(templates[param]))]
      .filter((name) => cost.has(name))
      .map((name) => ({
        param,
        message: `must not have ${name}, because cost_parameters has it too and a URL would have it twice; remove one of them`,
      })),
  );
}

/** Everything that is wrong with the saved templates of a partner. */
export function judgeTemplates(templates: Templates): TemplateProblem[] {
  return [
    ...TEMPLATES.flatMap((param) =>
      judgeTemplate(param, templates[param]).map((message) => ({ param, message })),
    ),
    ...judgeTogether(templates),
  ];
}
