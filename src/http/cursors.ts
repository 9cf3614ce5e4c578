/**
 * The opaque cursors of lists (spec §4.6). A cursor holds a position and its list, so it stays valid when items are
 * inserted, and a cursor of another list is invalid. Both API versions of a list share their cursors.
 */
import { Buffer } from "node:buffer";
import type { Range } from "../db/keyset.ts";
import type { InputError } from "../errors.ts";
import { withoutEndSlashes } from "./router.ts";

const CURSOR_VERSION = "1";

/** A range with the name of its list, which is part of every cursor. */
export interface ListRange extends Range {
  list: string;
}

/** The position of a page in a list that is sorted by a text and only read forward. `after` is exclusive. */
export type TextRange = { after: string | null; limit: number; list: string };

export function buildCursor(list: string, position: number | string): string {
  return Buffer.from([CURSOR_VERSION, list, position].join("|")).toString("base64url");
}

/**
 * Reads `after`, `before` and `cursor`, and adds an error for each that is not a cursor of this list. `parameters` are all
 * query parameters of the list: a filtered list is a list of its own.
 */
export function readPosition(url: URL, parameters: string[], errors: InputError[]): Omit<ListRange, "limit"> {
  const list = nameList(url, parameters);
  const position = (param: "after" | "before" | "cursor") => {
    const cursor = url.searchParams.get(param);
    if (cursor === null) return null;
    const found = readCursor(list, cursor);
    if (found === undefined) errors.push({ param, message: NOT_OF_LIST });
    return found ?? null;
  };
  const [after, cursor, before] = [position("after"), position("cursor"), position("before")];
  if (after !== null && cursor !== null && after !== cursor)
    errors.push({ param: "cursor", message: "differs from after; send only one of them" });
  return { after: cursor ?? after, before, list };
}

/** Reads `cursor` like `readPosition`, for a list whose positions are texts. */
export function readTextPosition(
  url: URL,
  parameters: string[],
  errors: InputError[],
): Omit<TextRange, "limit"> {
  const list = nameList(url, parameters);
  const cursor = url.searchParams.get("cursor");
  const after = cursor === null ? null : readTextCursor(list, cursor);
  if (after === undefined) errors.push({ param: "cursor", message: NOT_OF_LIST });
  return { after: after ?? null, list };
}

export const NOT_OF_LIST = "is not a cursor from this list";

function readCursor(list: string, cursor: string): number | undefined {
  const position = Number(Buffer.from(cursor, "base64url").toString().split("|").at(-1));
  return Number.isSafeInteger(position) && buildCursor(list, position) === cursor ? position : undefined;
}

function readTextCursor(list: string, cursor: string): string | undefined {
  const position = Buffer.from(cursor, "base64url").toString().slice(`${CURSOR_VERSION}|${list}|`.length);
  return position !== "" && buildCursor(list, position) === cursor ? position : undefined;
}

const POSITION = ["after", "before", "cursor", "limit"];

function nameList({ pathname, searchParams }: URL, parameters: string[]): string {
  const path = withoutEndSlashes(pathname.replace(/^\/public\/v\d/, ""));
  const filters = parameters.filter((name) => !POSITION.includes(name) && searchParams.has(name));
  return [path, ...filters.map((name) => `${name}=${searchParams.get(name)}`)].join(" ");
}
