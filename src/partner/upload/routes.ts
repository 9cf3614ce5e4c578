/**
 * `/partner/upload`: a partner sends a file of costs. The file is checked first, and nothing is stored; the confirmation then
 * carries exactly the rows that the check found good, which are validated again. The script does the same in parts.
 */
import { jsonResponse } from "../../http/envelope.ts";
import { readMultipart } from "../../http/input/form.ts";
import { redirectResponse } from "../../http/redirect.ts";
import {
  asFileError,
  readConfirmed,
  readFileText,
  readPart,
  readPartText,
  readRows,
  toFormBytes,
  toPartJson,
  writeRows,
} from "../../pages/uploads/rows.ts";
import { MAX_BATCH_BYTES, RESULT_COLUMNS, TABLE } from "../../usecases/costs/batch.ts";
import { withLedger } from "../frame.ts";
import { checkedPage, resultPage, uploadPage } from "./pages.ts";
import { COLUMNS, checkRows, importRows, repeated } from "./rows.ts";

const MAX_FORM_BYTES = toFormBytes(MAX_BATCH_BYTES);

export const showUpload = withLedger("/partner/upload", async (_context, partner, caller) => {
  caller.authorize(partner);
  return uploadPage();
});

export const checkUpload = withLedger("/partner/upload", async (context, partner, caller) => {
  try {
    const form = await readMultipart(context, MAX_FORM_BYTES);
    const rows = readRows(await readFileText(form.get("file"), MAX_BATCH_BYTES), TABLE);
    const outcomes = await checkRows(context, caller, rows);
    const good = rows.filter((_, index) => outcomes[index]?.state === "ready");
    return checkedPage(outcomes, writeRows(COLUMNS, good));
  } catch (error) {
    const rejected = asFileError(context, error);
    caller.authorize(partner);
    return uploadPage(rejected);
  }
});

export const importUpload = withLedger("/partner/upload", async (context, _partner, caller) => {
  return resultPage(await importRows(context, caller, await readConfirmed(context, MAX_FORM_BYTES, TABLE)));
});

/** For a reload of the result. */
export const backToUpload = withLedger("/partner/upload", async (_context, partner, caller) => {
  caller.authorize(partner);
  return redirectResponse("/partner/upload");
});

/** Parts of a larger file, for the script. */
const sendPart = (act: typeof checkRows) =>
  withLedger("/partner/upload", async (context, _partner, caller) => {
    const rows = readPart(await readPartText(context, MAX_FORM_BYTES), TABLE);
    return jsonResponse(toPartJson(RESULT_COLUMNS, await act(context, caller, rows), repeated));
  });

export const checkPart = sendPart(checkRows);
export const importPart = sendPart(importRows);
