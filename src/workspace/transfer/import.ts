/**
 * `/apps/{app}/links/import`: a member sends a file of links. The file is checked first, and nothing is created; the confirmation
 * then carries exactly the rows that the check found good, which are validated again. The script sends larger files in parts to
 * the same paths.
 */
import * as z from "zod/mini";
import { listImports } from "../../db/links/imports.ts";
import type { Context } from "../../env.ts";
import type { AppError } from "../../errors.ts";
import { jsonResponse } from "../../http/envelope.ts";
import { mediaType } from "../../http/input/body.ts";
import { idText } from "../../http/input/fields.ts";
import { readForm, readMultipart } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import {
  asFileError,
  type Outcome,
  readConfirmed,
  readFileText,
  readPart,
  readPartText,
  readRows,
  toFormBytes,
  toPartJson,
  writeRows,
} from "../../pages/uploads/rows.ts";
import { undoImport } from "../../usecases/links/imports.ts";
import { type AppPage, authorizeApp, type Member, type Show } from "../frame.ts";
import { checkedPage, importForm, resultPage, undonePage } from "./import-pages.ts";
import { checkRows, importRows, MAX_BYTES, SENT_COLUMNS, TABLE } from "./import-rows.ts";
import { LINK_TEXTS } from "./texts.ts";

const MAX_FORM_BYTES = toFormBytes(MAX_BYTES);

export const importPage: Show = (context, member) => showForm(context, member);

async function showForm(context: Context, member: Member, error?: AppError): Promise<AppPage> {
  return importForm(member, await listImports(context.env.DB, member.app.token, context.now), error);
}

const scopeOf = ({ viewer, app }: Member) => ({ ...viewer, appToken: app.token });

export const checkImport: Show = async (context, member) => {
  if (mediaType(context.request) === "text/csv") return sendPart(checkRows)(context, member);
  try {
    const form = await readMultipart(context, MAX_FORM_BYTES);
    const rows = readRows(await readFileText(form.get("file"), MAX_BYTES), TABLE);
    const outcomes = await checkRows(context, member, rows);
    const good = rows.filter((_, index) => outcomes[index]?.state === "ready");
    return checkedPage(member, outcomes, writeRows(SENT_COLUMNS, good));
  } catch (error) {
    return showForm(context, member, asFileError(context, error));
  }
};

export const confirmImport: Show = async (context, member) => {
  if (mediaType(context.request) === "text/csv") return sendPart(importRows)(context, member);
  return resultPage(
    member,
    await importRows(context, member, await readConfirmed(context, MAX_FORM_BYTES, TABLE)),
  );
};

const undoForm = z.object({ id: idText });

export const submitUndo: Show = async (context, member) => {
  const sent = await readForm(context, undoForm);
  if ("errors" in sent) throw invalidRequest(sent.errors);
  const undone = await undoImport(context, scopeOf(member), sent.fields.id);
  authorizeApp(undone.access);
  return undonePage(member, undone);
};

/** The results of a part of a larger file, for the script. */
function sendPart(act: typeof checkRows): Show {
  return async (context, member) => {
    const rows = readPart(await readPartText(context, MAX_FORM_BYTES), TABLE);
    return jsonResponse(toPartJson(LINK_TEXTS.columns, await act(context, member, rows), repeatOf));
  };
}

function repeatOf({ name }: Outcome): Pick<Outcome, "detail" | "cells"> {
  const detail = "Row {row} has the same link. Remove one of them.";
  return { detail, cells: ["1", name, "rejected", null, detail] };
}
