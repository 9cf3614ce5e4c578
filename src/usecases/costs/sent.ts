/** The parameters of a cost as they were sent, for what is kept of an invalid one. */
import { CONTROL, showInvisible } from "../../domain/characters.ts";
import { MAX_TAG } from "../../domain/costs.ts";
import type { Context } from "../../env.ts";
import type { Pair } from "../../http/input/pairs.ts";
import { costInput } from "./submit.ts";

/** The parameters of a cost among the pairs of a request. A parameter with two values shows both. */
export function toSentPairs(pairs: Pair[]): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const name of Object.keys(costInput.shape)) {
    const values = [...new Set(pairs.filter((pair) => pair.name === name).map((pair) => pair.value))];
    if (values.length > 0) sent[name] = toShown(values.join(" and "));
  }
  return sent;
}

/** The parameters of a cost in an item of a batch. */
export function toSentItem(item: unknown): Record<string, string> {
  const sent: Record<string, string> = {};
  if (typeof item !== "object" || item === null) return sent;
  for (const [name, value] of Object.entries(item))
    if (Object.hasOwn(costInput.shape, name))
      sent[name] = toShown(typeof value === "string" ? value : JSON.stringify(value));
  return sent;
}

const MAX_SHOWN = 300;

/** Limits the length, and replaces characters that a database or a terminal cannot handle. */
export function toShown(value: string): string {
  const shown = value.toWellFormed().replace(CONTROL, "\u{fffd}");
  if (shown.length <= MAX_SHOWN) return shown;
  const characters = [...shown];
  return characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN - 1).join("")}…` : shown;
}

/** Notes the tag of a request for its log line: that of its cost, or of all costs of a batch if it is the same. */
export function traceTag({ trace }: Context, sent: { tag?: string }[]): void {
  const [tag, ...others] = new Set(sent.map((one) => one.tag));
  if (tag !== undefined && others.length === 0)
    trace.tag = showInvisible(tag).slice(0, MAX_TAG).toWellFormed();
}
