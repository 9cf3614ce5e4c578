/** Addresses of the present page with other parameters, and forms that keep those it has. */
import { html } from "hono/html";
import type * as z from "zod/mini";
import type { InputError } from "../../errors.ts";
import { parsePairs, readPairs } from "../../http/input/pairs.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import type { Markup } from "../markup.ts";

/** Reads the filters of a page, without spaces around them. What a form sends empty counts as absent. Throws invalid_request. */
export function readFilters<T extends z.ZodMiniObject>({ search }: URL, schema: T): z.output<T> {
  const errors: InputError[] = [];
  const pairs = readPairs(search.slice(1)).map((pair) => ({ ...pair, value: pair.value.trim() }));
  const sent = pairs.filter(({ value }) => value !== "");
  const filters = parsePairs(schema, sent, "same text", errors);
  if (!filters) throw invalidRequest(errors);
  return filters;
}

/** The path and query of a page with other values of some parameters. `null` removes one. */
export function withQuery(url: URL, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const search = query.toString();
  return url.pathname + (search && `?${search}`);
}

/** Fields that a person does not see. An empty value is not sent. */
export function hiddenInputs(values: Iterable<[name: string, value: string]>): Markup[] {
  return [...values]
    .filter(([, value]) => value !== "")
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

/** Hidden inputs that keep the query of a page, without some parameters, when a GET form of it is sent. */
export function keptInputs(url: URL, ...without: string[]): Markup[] {
  return hiddenInputs([...url.searchParams].filter(([name]) => !without.includes(name)));
}
