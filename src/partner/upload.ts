/**
 * `/partner/upload`: a partner sends a file of costs. The file is checked first, and nothing is stored; the confirmation then
 * carries exactly the rows that the check found good, which are validated again. The script does the same in parts.
 */
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { wantsPage } from "../http/accept.ts";
import { jsonResponse } from "../http/envelope.ts";
import { readMultipart } from "../http/form.ts";
import { decodeUtf8, invalidRequest, mediaType, readBody } from "../http/input.ts";
import { redirectResponse } from "../http/pages.ts";
import { MAX_BATCH_BYTES } from "../usecases/costs/batch.ts";
import { withLedger } from "./frame.ts";
import { checkedPage, resultPage, uploadForm } from "./upload-pages.ts";
import { checkRows, importRows, readFile, readPart, toJson, writeRows } from "./upload-rows.ts";

/** Room for the numbers of the rows, for quotes, and for the parts of a multipart body. */
const MAX_FORM_BYTES = MAX_BATCH_BYTES + 256 * 1024;

export const uploadPage = withLedger("/partner/upload", async (_context, partner, caller) => {
  caller.authorize(partner);
  return uploadForm();
});

export const checkUpload = withLedger("/partner/upload", async (context, partner, caller) => {
  try {
    const form = await readMultipart(context, MAX_FORM_BYTES);
    const rows = readFile(await readText(form.get("file")));
    const outcomes = await checkRows(context, caller, rows);
    const good = rows.filter((_, index) => outcomes[index]?.state === "ready");
    return checkedPage(outcomes, writeRows(good));
  } catch (error) {
    const isOfFile =
      error instanceof AppError && ["invalid_request", "payload_too_large"].includes(error.code);
    if (!isOfFile || !wantsPage(context)) throw error;
    context.trace.outcome = error.code;
    caller.authorize(partner);
    return uploadForm(error);
  }
});

async function readText(file: File | string | null): Promise<string> {
  if (!(file instanceof File) || file.size === 0)
    throw invalidRequest([{ param: "file", message: "is missing or empty; choose a CSV file" }]);
  if (file.size > MAX_BATCH_BYTES)
    throw new AppError("payload_too_large", "Without JavaScript, the file can have at most 1 MiB.");
  const text = decodeUtf8(new Uint8Array(await file.arrayBuffer()));
  if (text === undefined) throw invalidRequest([{ param: "file", message: "must be UTF-8" }]);
  return text;
}

export const importUpload = withLedger("/partner/upload", async (context, _partner, caller) => {
  const sent = (await readMultipart(context, MAX_FORM_BYTES)).get("rows");
  if (typeof sent !== "string") throw invalidRequest([{ param: "rows", message: "is required" }]);
  return resultPage(await importRows(context, caller, readPart(sent)));
});

/** For a reload of the result. */
export const backToUpload = withLedger("/partner/upload", async (_context, partner, caller) => {
  caller.authorize(partner);
  return redirectResponse("/partner/upload");
});

/** Parts of a larger file, for the script. */
export const checkPart = withLedger("/partner/upload", async (context, _partner, caller) =>
  jsonResponse(toJson(await checkRows(context, caller, readPart(await readCsv(context))))),
);

export const importPart = withLedger("/partner/upload", async (context, _partner, caller) =>
  jsonResponse(toJson(await importRows(context, caller, readPart(await readCsv(context))))),
);

async function readCsv({ request }: Context): Promise<string> {
  if (mediaType(request) !== "text/csv")
    throw new AppError("unsupported_media_type", "Send the body as text/csv.");
  const text = decodeUtf8(await readBody(request, MAX_FORM_BYTES));
  if (text === undefined) throw invalidRequest([{ param: "body", message: "must be UTF-8" }]);
  return text;
}
