/** The rows of a file of links: reads them, checks what an import would do, and imports them. */
import * as z from "zod/mini";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import type { CsvTable } from "../../http/input/table.ts";
import type { FileRow, Outcome } from "../../pages/uploads/rows.ts";
import {
  describeRejection,
  keyOf,
  LEVEL_FIELDS,
  OTHER_HEADINGS,
  type PathRow,
  readNames,
  rejectRepeats,
} from "../../usecases/links/path-rows.ts";
import { findPartner, type PathResult } from "../../usecases/links/path-rules.ts";
import { checkPaths, createPaths } from "../../usecases/links/paths.ts";
import { changeLinks, checkLinks, type UpdateOf } from "../../usecases/links/updates.ts";
import { toOutcome, unknownLink } from "../bulk/outcomes.ts";
import { firstLevelOf, type Place } from "../create/place.ts";
import { authorizeApp, scopeOf } from "../frame.ts";
import { noteDifferences, type RowChange, readChange, settingColumns, toUpdate } from "./import-changes.ts";
import { describeAdded } from "./texts.ts";

const text = z.optional(z.string());

/** The columns that an import reads: those of an export without the URLs and the time, which follow from the link. */
const fields = z.object({
  link_token: text,
  network: text,
  campaign: text,
  ad_group: text,
  creative: text,
  partner: text,
  ...settingColumns,
});

/** The rows of one form, or of one part that the script sends. */
export const MAX_ROWS = 1_000;
export const MAX_BYTES = 1024 * 1024;
/** A row of an export has two URLs, each with up to 8 KiB of parameters. */
const MAX_ROW_BYTES = 64 * 1024;
export const TABLE: CsvTable = {
  row: fields,
  maxRows: MAX_ROWS,
  maxRowBytes: MAX_ROW_BYTES,
  needsOneOf: ["network", "link_token"],
  headings: OTHER_HEADINGS,
  unread: ["click_url", "impression_url", "created_at"],
};

/** The columns that the confirmation carries. */
export const SENT_COLUMNS = Object.keys(fields.shape);

/** The same table for rows below a link. */
export const tableFor = (place: Place): CsvTable => ({
  ...TABLE,
  needsOneOf: [LEVEL_FIELDS[firstLevelOf(place) - 1] ?? "", "link_token"],
});

/** What is done with the rows, and the state of a link that it changes. */
export interface Step {
  create: typeof checkPaths;
  change: typeof checkLinks;
  done: "ready" | "imported";
}
/** Finds what an import would do with each row. Stores nothing. */
export const CHECK: Step = { create: checkPaths, change: checkLinks, done: "ready" };
/** Changes the links that rows name by their tokens, and creates those of the other rows that are missing. */
export function importStep(partOf: string | null = null): Step {
  const record = { source: "import", partOf } as const;
  return {
    create: (...asked) => createPaths(...asked, record),
    change: (...asked) => changeLinks(...asked, { record }),
    done: "imported",
  };
}

export async function runRows(
  context: Context,
  place: Place,
  rows: FileRow[],
  { create, change, done }: Step,
): Promise<Outcome[]> {
  const scope = scopeOf(place.member);
  const sent = rejectRepeats(
    rows.map((row) => toRow(row, place)),
    (index) => rows[index]?.number ?? 0,
  );
  const ofLinks = new Map(
    sent.flatMap((row): [string, SentRow][] =>
      row.error || !row.change || row.base === null ? [] : [[row.base, row]],
    ),
  );
  const updateOf: UpdateOf = (link, partners) => {
    const row = ofLinks.get(link.token);
    const named = row && nameChange(row, partners);
    return !named || named instanceof AppError ? {} : toUpdate(link, named);
  };
  const paths = sent.filter((row) => row.error || !row.change);
  const changed = ofLinks.size > 0 ? await change(context, scope, [...ofLinks.keys()], updateOf) : undefined;
  if (changed) authorizeApp(changed.access);
  const created = paths.length > 0 ? await create(context, scope, paths) : undefined;
  if (created) authorizeApp(created.access);
  const results = [...(created?.results ?? [])];
  return rows.map((row, index) => {
    const one = expectDefined(sent[index]);
    if (one.error || !one.change) return toCreation(row, one, expectDefined(results.shift()));
    const result = changed?.results.get(one.base ?? "");
    if (!changed || !result) return unknownLink(one.base ?? "", row.number);
    const named = nameChange(one, changed.partners);
    if (named instanceof AppError) return rejected(row, describeRejection(named));
    const notes = noteDifferences(one.cells, namesOf(row), result, changed.partners);
    return toOutcome(result, changed.partners, done, row.number, notes);
  });
}

/** What the row changes, with the partner that it names if it has no partner ID. */
function nameChange(row: SentRow, partners: Partners): RowChange | AppError {
  const { change = {}, partnerName } = row;
  if (change.partner_id !== undefined || partnerName === undefined) return change;
  const named = findPartner(row, partners);
  return named instanceof AppError ? named : { ...change, partner_id: named.partnerId };
}

interface SentRow extends PathRow {
  cells: Record<string, string>;
  /** What the row changes of the link `base`, which it names by its token. */
  change?: RowChange;
}

/** The fields of a form that are named like columns, as the cells of a row. */
export function readCells(form: URLSearchParams, names: readonly string[]): Record<string, string> {
  const cells = names.map((name): [string, string] => [name, form.get(name)?.trim() ?? ""]);
  return Object.fromEntries(cells.filter(([, cell]) => cell !== ""));
}

/** A row with a token changes that link, and other rows create the link of their path. */
export function toRow({ nth = 0, values: cells, misfit }: FileRow, place: Place): SentRow {
  const firstLevel = firstLevelOf(place);
  const errors: InputError[] = [];
  const token = cells.link_token?.trim() || null;
  const change = readChange(cells, errors);
  const names = token === null ? readNames(cells, firstLevel, errors) : [];
  const above = LEVEL_FIELDS.slice(0, firstLevel - 1).filter((field) => cells[field]);
  if (token === null) errors.push(...above.map((param) => ({ param, message: ABOVE })));
  if (token !== null && nth > MAX_ROWS) errors.push(TOO_FAR);
  const { partner_id, cost_data_enabled, archived, target = null } = change;
  return {
    ...{ cells, error: misfit ?? (errors.length > 0 ? invalidRequest(errors) : undefined) },
    base: token ?? place.parent?.token ?? null,
    names,
    partnerId: partner_id ?? null,
    partnerName: partner_id === null ? undefined : cells.partner?.trim() || undefined,
    costSwitch: cost_data_enabled ?? null,
    target,
    ...(archived !== undefined && { archived }),
    ...(token !== null && { change }),
  };
}

const ABOVE = "must be empty, because all rows are below another link";
const TOO_FAR = {
  param: "row",
  message: "Links are changed only by the first 1,000 rows of a file. Split the file.",
};

const STATES = { ready: "ready", created: "imported", exists: "duplicate" } as const;

const namesOf = ({ values }: FileRow) => LEVEL_FIELDS.map((field) => values[field] ?? "");

function nameOf(row: FileRow): string | null {
  return (
    namesOf(row)
      .filter((text) => text !== "")
      .join(" > ") ||
    row.values.link_token ||
    null
  );
}

function rejected(row: FileRow, detail: string): Outcome {
  const { number } = row;
  const name = nameOf(row);
  return { number, name, state: "rejected", detail, cells: [number, name, "rejected", null, detail] };
}

function toCreation(row: FileRow, path: PathRow, result: PathResult | AppError): Outcome {
  if (result instanceof AppError) return rejected(row, describeRejection(result));
  const { number } = row;
  const name = nameOf(row);
  const { detail: sentences, ...more } = describeAdded(result);
  const detail = sentences.join(" ");
  const cells = [number, name, result.state, result.token, detail];
  return { number, name, key: keyOf(path), state: STATES[result.state], ...more, detail, cells };
}
