/** Pasted paths: a line for each, with its names separated by `>`. */
import { inEnglish } from "../../domain/texts.ts";
import { AppError, type InputError } from "../../errors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import { describeRejection, LEVEL_FIELDS, readNames } from "../../usecases/links/path-rows.ts";
import type { PathResult } from "../../usecases/links/path-rules.ts";
import { describeAdded } from "../transfer/texts.ts";

export const MAX_LINES = 100;

export interface Line {
  /** From 1, with the empty lines. */
  number: number;
  text: string;
  names: string[] | AppError;
}

/** The lines that are not empty. Adds an error if there is none, or too many. */
export function readLines(pasted: string, firstLevel: number, errors: InputError[]): Line[] {
  const lines = pasted
    .split(/\r\n|\r|\n/)
    .map((text, index) => ({ number: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== "");
  const count = inEnglish(lines.length);
  if (lines.length === 0) errors.push({ param: "paths", message: "must have at least one path" });
  if (lines.length > MAX_LINES)
    errors.push({ param: "paths", message: `has ${count} lines; it can have at most ${MAX_LINES}` });
  // A form has room for a million lines.
  if (errors.length > 0) return [];
  return lines.map((line) => ({ ...line, names: readPath(line.text, firstLevel) }));
}

function readPath(text: string, firstLevel: number): string[] | AppError {
  const parts = text.split(">").map((name) => name.trim());
  const levels = LEVEL_FIELDS.slice(firstLevel - 1);
  if (parts.length > levels.length) {
    const message = `This path has ${parts.length} names. Use at most ${levels.length}.`;
    return new AppError("level_limit", message, { errors: [{ param: "line", message }] });
  }
  const errors: InputError[] = [];
  const names = readNames(
    Object.fromEntries(parts.map((name, index) => [levels[index], name])),
    firstLevel,
    errors,
  );
  // readNames takes an empty last name for the end of the path.
  if (names.length < parts.length)
    errors.push({ param: levels[parts.length - 1] ?? "", message: "is required" });
  return errors.length > 0 ? invalidRequest(errors) : names;
}

const STATES = { ready: "ready", created: "imported", exists: "duplicate" } as const;

export function toPathOutcome({ number, text }: Line, result: PathResult | AppError): Outcome {
  if (result instanceof AppError) {
    const detail = describeRejection(result);
    return { number, name: text, state: "rejected", detail, cells: [number, text, "rejected", null, detail] };
  }
  const { detail: added, ...more } = describeAdded(result);
  const detail = [...result.differences, ...added].join(" ");
  const cells = [number, text, result.state, result.token, detail];
  return { number, name: text, state: STATES[result.state], ...more, detail, cells };
}
