/**
 * `/partner/upload`: a partner sends a file of costs. The file is checked first, and nothing is stored; the confirmation then
 * carries exactly the rows that the check found good, which are validated again. The script sends the parts of a larger file to the
 * same paths.
 */
import type { CostCaller } from "../../auth/guards.ts";
import type { Context } from "../../env.ts";
import { jsonResponse } from "../../http/envelope.ts";
import { readMultipart } from "../../http/input/form.ts";
import { redirectResponse } from "../../http/redirect.ts";
import {
  asFileError,
  isPart,
  readConfirmed,
  readFileText,
  readPartOf,
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
  if (isPart(context)) return answerPart(context, caller, checkRows);
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
  if (isPart(context)) return answerPart(context, caller, importRows);
  const { rows, leftOut } = await readConfirmed(context, MAX_FORM_BYTES, TABLE);
  return resultPage(await importRows(context, caller, rows), leftOut);
});

async function answerPart(context: Context, caller: CostCaller, act: typeof checkRows): Promise<Response> {
  const rows = await readPartOf(context, MAX_FORM_BYTES, TABLE);
  return jsonResponse(toPartJson(RESULT_COLUMNS, await act(context, caller, rows), repeated));
}

/** For a reload of the result. */
export const backToUpload = withLedger("/partner/upload", async (_context, partner, caller) => {
  caller.authorize(partner);
  return redirectResponse("/partner/upload");
});
