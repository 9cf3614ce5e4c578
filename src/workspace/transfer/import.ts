/**
 * `/apps/{app}/links/import`: a member pastes cells or paths, or sends a file of links. The rows are checked first, and nothing is
 * created; the confirmation then carries exactly the rows that the check found good, which are validated again. The script sends larger
 * files in parts to the same paths. With `parent`, the rows create links below that link.
 */
import type { Partners } from "../../db/links/partner-catalog.ts";
import { findNear } from "../../domain/near-name.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { jsonResponse } from "../../http/envelope.ts";
import { readMultipart } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import {
  asFileError,
  type FileRow,
  isPart,
  type Outcome,
  readConfirmed,
  readFileText,
  readPartOf,
  toFormBytes,
  toPartJson,
  writeRows,
} from "../../pages/uploads/rows.ts";
import { withId } from "../../usecases/links/path-rules.ts";
import { SETTING_FIELDS } from "../create/fields.ts";
import { firstLevelOf, type Place, readPlace } from "../create/place.ts";
import type { Show } from "../frame.ts";
import { readChange } from "./import-changes.ts";
import { type Correction, checkedPage, importForm, resultPage } from "./import-pages.ts";
import {
  CHECK,
  importStep,
  MAX_BYTES,
  readCells,
  runRows,
  SENT_COLUMNS,
  type Step,
  tableFor,
} from "./import-rows.ts";
import { type Chosen, readSheet, withDefaults } from "./sheet.ts";
import { LINK_TEXTS } from "./texts.ts";

const MAX_FORM_BYTES = toFormBytes(MAX_BYTES);

export const importPage: Show = async (context, member) => importForm(await readPlace(context, member));

export const checkImport: Show = async (context, member) => {
  const place = await readPlace(context, member);
  if (isPart(context)) return sendPart(context, place, CHECK);
  let sent = new URLSearchParams();
  try {
    const form = await readMultipart(context, MAX_FORM_BYTES);
    sent = new URLSearchParams(
      [...form].flatMap(([name, value]) => (value instanceof File ? [] : [[name, value]])),
    );
    return await showCheck(context, place, sent, form.get("file"));
  } catch (error) {
    return importForm(place, toCells(asFileError(context, error), sent), sent);
  }
};

/** What is wrong with pasted text is an error of its field. */
function toCells(error: AppError, sent: URLSearchParams): AppError {
  if (!sent.get("cells")?.trim()) return error;
  const { code, message } = error;
  const errors = error.errors.map((one) => (one.param === "body" ? { ...one, param: "cells" } : one));
  return new AppError(code, message, { errors: errors.length > 0 ? errors : [{ param: "cells", message }] });
}

async function showCheck(context: Context, place: Place, sent: URLSearchParams, file: File | string | null) {
  const defaults = readDefaults(sent);
  const { text, isFile } = await readText(sent, file);
  const sheet = readSheet(text, { isFile, firstLevel: firstLevelOf(place) }, toChosen(sent));
  const corrections = findCorrections(sheet.rows, place.partners, sent);
  const rows = withDefaults(correct(sheet.rows, corrections), defaults);
  const outcomes = sheet.problem === undefined ? await runRows(context, place, rows, CHECK) : [];
  const ready = rows.filter((_, index) => outcomes[index]?.state === "ready");
  const found = { outcomes, good: writeRows(SENT_COLUMNS, ready) };
  return checkedPage(place, found, { sheet, sent, text, isFile, corrections });
}

/** The pasted text, or that of the file. `csv` is the text of a file whose columns were chosen. */
async function readText(sent: URLSearchParams, file: File | string | null) {
  const cells = sent.get("cells") ?? "";
  const isPasted = cells.trim() !== "";
  const isSent = file instanceof File && (file.size > 0 || file.name !== "");
  if (isPasted && isSent)
    throw invalidRequest([{ param: "cells", message: "Paste cells or choose a file, not both." }]);
  if (isPasted) return { text: cells, isFile: false };
  if (sent.has("csv")) return { text: sent.get("csv") ?? "", isFile: true };
  if (!isSent && sent.has("cells"))
    throw invalidRequest([{ param: "cells", message: "Paste cells or paths, or choose a file." }]);
  return { text: await readFileText(file, MAX_BYTES), isFile: true };
}

function toChosen(sent: URLSearchParams): Chosen | undefined {
  if (!sent.has("chosen")) return undefined;
  const columns = [...sent].filter(([name]) => /^column\d+$/.test(name));
  return { columns: columns.map(([, value]) => value), hasHeadings: sent.get("headings") === "yes" };
}

/** What rows get that have no cell for it. Throws invalid_request. */
function readDefaults(sent: URLSearchParams): Record<string, string> {
  const errors: InputError[] = [];
  const cells = readCells(sent, SETTING_FIELDS);
  readChange(cells, errors);
  if (errors.length > 0) throw invalidRequest(errors);
  return cells;
}

/** So many wrong names are compared with those of the partners. */
const MOST_CORRECTIONS = 20;

/** Names that no partner has, and the partner that nearly has each. */
function findCorrections(rows: FileRow[], partners: Partners, sent: URLSearchParams): Correction[] {
  const names = [...partners.values()].map(({ displayName }) => displayName);
  const known = new Set(["", ...names, ...[...partners.values()].map(withId)]);
  const unknown = rows.map(({ values }) => values.partner ?? "").filter((name) => !known.has(name));
  const used = [...sent].flatMap(([field, name]) => (/^correct\d+$/.test(field) ? [name] : []));
  return [...Map.groupBy(unknown, (name) => name)].slice(0, MOST_CORRECTIONS).flatMap(([name, same]) => {
    const near = findNear(name, names);
    return near === undefined ? [] : { name, near, rows: same.length, isUsed: used.includes(name) };
  });
}

function correct(rows: FileRow[], corrections: Correction[]): FileRow[] {
  const near = new Map(corrections.filter(({ isUsed }) => isUsed).map((one) => [one.name, one.near]));
  return rows.map((row) => {
    const partner = near.get(row.values.partner ?? "");
    return partner === undefined ? row : { ...row, values: { ...row.values, partner } };
  });
}

export const confirmImport: Show = async (context, member) => {
  const needsPlace = isPart(context) || context.url.searchParams.has("parent");
  const place = needsPlace
    ? await readPlace(context, member)
    : { member, parent: undefined, partners: new Map() };
  if (isPart(context)) return sendPart(context, place, importStep(context.url.searchParams.get("part_of")));
  const { rows, leftOut } = await readConfirmed(context, MAX_FORM_BYTES, tableFor(place));
  return resultPage(place, await runRows(context, place, rows, importStep()), leftOut, context);
};

/** The results of a part of a larger file, for the script. What all rows get is in the query. */
async function sendPart(context: Context, place: Place, step: Step): Promise<Response> {
  const defaults = readDefaults(context.url.searchParams);
  const rows = await readPartOf(context, MAX_FORM_BYTES, tableFor(place));
  const outcomes = await runRows(context, place, withDefaults(rows, defaults), step);
  const isDone = outcomes.some(({ state }) => state === "imported");
  const undo = isDone && { undo: context.requestId };
  return jsonResponse({ ...toPartJson(LINK_TEXTS.columns, outcomes, repeatOf), ...undo });
}

function repeatOf({ name }: Outcome): Pick<Outcome, "detail" | "cells"> {
  const detail = "Row {row} has the same link. Remove one of them.";
  return { detail, cells: ["1", name, "rejected", null, detail] };
}
