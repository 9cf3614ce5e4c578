/** The rows of a file of links: reads them, checks what an import would do, and imports them. */
import * as z from "zod/mini";
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { fromCell } from "../../http/csv.ts";
import type { CsvTable } from "../../http/input/csv.ts";
import { idText } from "../../http/input/fields.ts";
import { invalidRequest, parsePart } from "../../http/input/parse.ts";
import type { FileRow, Outcome } from "../../pages/uploads/rows.ts";
import {
  describeRejection,
  keyOf,
  LEVEL_FIELDS,
  type PathRow,
  readNames,
  rejectRepeats,
} from "../../usecases/links/path-rows.ts";
import type { PathResult } from "../../usecases/links/path-rules.ts";
import { checkPaths, createPaths } from "../../usecases/links/paths.ts";
import { authorizeApp, type Member } from "../frame.ts";
import { describeAdded } from "./texts.ts";

const choice = <T extends string>(...words: [T, ...T[]]) =>
  z.optional(z.pipe(z.string().check(z.toLowerCase()), z.enum(words, `must be ${words.join(" or ")}`)));
const text = z.optional(z.string());

/** The columns that an import accepts: those of an export. The URLs and the time follow from the link, so they are not read. */
const fields = z.object({
  link_token: text,
  network: z.string(),
  campaign: text,
  ad_group: text,
  creative: text,
  partner: text,
  partner_id: z.optional(idText),
  cost_data: choice("on", "off"),
  archived: choice("yes", "no"),
  click_url: text,
  impression_url: text,
  created_at: text,
});

/** The rows of one form, or of one part that the script sends. */
export const MAX_ROWS = 1_000;
export const MAX_BYTES = 1024 * 1024;
/** A row of an export has two URLs, each with up to 8 KiB of parameters. */
const MAX_ROW_BYTES = 64 * 1024;
export const TABLE: CsvTable = { row: fields, maxRows: MAX_ROWS, maxRowBytes: MAX_ROW_BYTES, edited: true };

/** The columns that the confirmation carries: those that are read. */
export const SENT_COLUMNS = Object.keys(fields.shape).slice(0, -3);

/** Finds what an import would do with each row. Stores nothing. */
export function checkRows(context: Context, member: Member, rows: FileRow[]): Promise<Outcome[]> {
  return run(context, member, rows, checkPaths);
}

/** Creates the links of the rows that are missing. */
export function importRows(context: Context, member: Member, rows: FileRow[]): Promise<Outcome[]> {
  return run(context, member, rows, createPaths);
}

async function run(
  context: Context,
  { viewer, app }: Member,
  rows: FileRow[],
  act: typeof checkPaths,
): Promise<Outcome[]> {
  const sent = rows.map(toPath);
  const paths = rejectRepeats(sent, (index) => rows[index]?.number ?? 0);
  const { access, results } = await act(context, { ...viewer, appToken: app.token }, paths);
  authorizeApp(access);
  return rows.map((row, index) => toOutcome(row, expectDefined(sent[index]), expectDefined(results[index])));
}

interface SentRow extends PathRow {
  /** What is wrong with values that are only compared. */
  notes: InputError[];
}

/** A row with a token names that link, and its other values are only compared. */
function toPath({ values, misfit }: FileRow): SentRow | AppError {
  if (misfit) return misfit;
  const cells = Object.fromEntries(Object.entries(values).map(([name, cell]) => [name, fromCell(cell)]));
  const errors: InputError[] = [];
  const notes: InputError[] = [];
  const base = cells.link_token?.trim() || null;
  const { partner_id, cost_data, archived } = fields.shape;
  const wrong = base === null ? errors : notes;
  const partnerId = parsePart(partner_id, cells.partner_id, wrong, "partner_id");
  const cost = parsePart(cost_data, cells.cost_data, wrong, "cost_data");
  const isArchived = parsePart(archived, cells.archived, wrong, "archived");
  const names = base === null ? readNames(cells, 1, errors) : [];
  if (errors.length > 0) return invalidRequest(errors);
  return {
    base,
    names,
    partnerId: partnerId ?? null,
    partnerName: cells.partner,
    costSwitch: cost === undefined ? null : cost === "on",
    archived: isArchived && isArchived === "yes",
    notes,
  };
}

const STATES = { ready: "ready", created: "imported", exists: "duplicate" } as const;

function toOutcome(
  { number, values }: FileRow,
  path: SentRow | AppError,
  result: PathResult | AppError,
): Outcome {
  const sent = LEVEL_FIELDS.map((field) => fromCell(values[field] ?? ""));
  const name = sent.filter((text) => text !== "").join(" > ") || values.link_token || null;
  if (result instanceof AppError || path instanceof AppError) {
    const detail = describeRejection(result instanceof AppError ? result : (path as AppError));
    return { number, name, state: "rejected", detail, cells: [number, name, "rejected", null, detail] };
  }
  const state = STATES[result.state];
  const notes = path.notes.length > 0 ? [describeRejection(invalidRequest(path.notes))] : [];
  const { detail: added, ...more } = describeAdded(result);
  const detail = [...comparePath(sent, result), ...result.differences, ...notes, ...added].join(" ");
  const key = keyOf(path);
  return {
    number,
    name,
    key,
    state,
    ...more,
    detail,
    cells: [number, name, result.state, result.token, detail],
  };
}

/** For a row that names its link by its token. */
function comparePath(sent: string[], { found: { base, nodes } }: PathResult): string[] {
  if (!base || nodes.length > 0) return [];
  const names = [...(base.inheritedName?.split("::") ?? []), base.label];
  return sent.every((text, index) => text === (names[index] ?? ""))
    ? []
    : [`Its path is ${names.join(" > ")}.`];
}
