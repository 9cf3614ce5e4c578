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
import { mediaType } from "../../http/input/body.ts";
import { readMultipart } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import {
  asFileError,
  type FileRow,
  type Outcome,
  readConfirmed,
  readFileText,
  readPart,
  readPartText,
  toFormBytes,
  toPartJson,
  writeRows,
} from "../../pages/uploads/rows.ts";
import { readSettings } from "../create/fields.ts";
import { type Place, readPlace } from "../create/place.ts";
import type { Show } from "../frame.ts";
import { type Correction, checkedPage, importForm, resultPage } from "./import-pages.ts";
import {
  type Below,
  CHECK,
  importStep,
  MAX_BYTES,
  runRows,
  SENT_COLUMNS,
  type Step,
  tableFor,
} from "./import-rows.ts";
import { type Chosen, readSheet, withDefaults } from "./sheet.ts";
import { LINK_TEXTS } from "./texts.ts";

const MAX_FORM_BYTES = toFormBytes(MAX_BYTES);

const belowOf = ({ parent }: Place): Below => ({
  base: parent?.token ?? null,
  firstLevel: (parent?.level ?? 0) + 1,
});

export const importPage: Show = async (context, member) => importForm(await readPlace(context, member));

export const checkImport: Show = async (context, member) => {
  const place = await readPlace(context, member);
  if (mediaType(context.request) === "text/csv") return sendPart(context, place, CHECK);
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
  const { member, partners } = place;
  const errors: InputError[] = [];
  const defaults = toDefaults(sent, partners, errors);
  if (errors.length > 0) throw invalidRequest(errors);
  const { text, isFile } = await readText(sent, file);
  const below = belowOf(place);
  const sheet = readSheet(text, { isFile, firstLevel: below.firstLevel }, toChosen(sent));
  const used = new Set([...sent].flatMap(([name, value]) => (/^correct\d+$/.test(name) ? [value] : [])));
  const corrections = findCorrections(sheet.rows, partners);
  const rows = withDefaults(correct(sheet.rows, corrections, used), defaults);
  const outcomes = sheet.problem === undefined ? await runRows(context, member, rows, below, CHECK) : [];
  const good = rows.filter((_, index) => outcomes[index]?.state === "ready");
  return checkedPage(
    place,
    { outcomes, good: writeRows(SENT_COLUMNS, good) },
    { sheet, sent, text, isFile, corrections, used },
  );
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

/** What rows get that have no cell for it, as cells. */
function toDefaults(sent: URLSearchParams, partners: Partners, errors: InputError[]): Record<string, string> {
  const { partnerId, partnerName, costSwitch, target } = readSettings(sent, partners, errors);
  return {
    ...(partnerId !== null && { partner_id: String(partnerId) }),
    ...(partnerName !== undefined && { partner: partnerName }),
    ...(costSwitch !== null && { cost_data: costSwitch ? "on" : "off" }),
    ...(target !== null && { target }),
  };
}

/** So many wrong names are compared with those of the partners. */
const MOST_CORRECTIONS = 20;

/** Names that no partner has, and the partner that nearly has each. */
function findCorrections(rows: FileRow[], partners: Partners): Correction[] {
  const names = [...partners.values()].map(({ displayName }) => displayName);
  const known = new Set(names);
  const sent = rows.flatMap(({ values: { partner } }) =>
    partner === undefined || known.has(partner) ? [] : [partner],
  );
  const counts = Map.groupBy(sent, (name) => name);
  return [...counts].slice(0, MOST_CORRECTIONS).flatMap(([name, { length }]) => {
    const near = findNear(name, names);
    return near === undefined ? [] : { name, near, rows: length };
  });
}

function correct(rows: FileRow[], corrections: Correction[], used: Set<string>): FileRow[] {
  const near = new Map(corrections.filter(({ name }) => used.has(name)).map((one) => [one.name, one.near]));
  return rows.map((row) => {
    const partner = near.get(row.values.partner ?? "");
    return partner === undefined ? row : { ...row, values: { ...row.values, partner } };
  });
}

export const confirmImport: Show = async (context, member) => {
  const isPart = mediaType(context.request) === "text/csv";
  const needsPlace = isPart || context.url.searchParams.has("parent");
  const place = needsPlace
    ? await readPlace(context, member)
    : { member, parent: undefined, partners: new Map() };
  if (isPart) return sendPart(context, place, importStep(context.url.searchParams.get("part_of")));
  const below = belowOf(place);
  const rows = await readConfirmed(context, MAX_FORM_BYTES, tableFor(below));
  return resultPage(place, await runRows(context, member, rows, below, importStep()), context.requestId);
};

/** The results of a part of a larger file, for the script. What all rows get is in the query. */
async function sendPart(context: Context, place: Place, step: Step): Promise<Response> {
  const errors: InputError[] = [];
  const defaults = toDefaults(context.url.searchParams, place.partners, errors);
  if (errors.length > 0) throw invalidRequest(errors);
  const below = belowOf(place);
  const rows = readPart(await readPartText(context, MAX_FORM_BYTES), tableFor(below));
  const outcomes = await runRows(context, place.member, withDefaults(rows, defaults), below, step);
  const isDone = outcomes.some(({ state }) => state === "imported");
  const undo = isDone && { undo: context.requestId };
  return jsonResponse({ ...toPartJson(LINK_TEXTS.columns, outcomes, repeatOf), ...undo });
}

function repeatOf({ name }: Outcome): Pick<Outcome, "detail" | "cells"> {
  const detail = "Row {row} has the same link. Remove one of them.";
  return { detail, cells: ["1", name, "rejected", null, detail] };
}
