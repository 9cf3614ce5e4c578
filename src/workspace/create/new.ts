/**
 * `/apps/{app}/links/new`: creates the links of one path, or of up to 100 paths that were pasted. With `parent`, below that link.
 * A path that exists is used, so sending a form twice creates each link once.
 */
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { AppError, ERRORS, type InputError } from "../../errors.ts";
import { readFields } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { nameContact } from "../../pages/contact.ts";
import { RejectedForm } from "../../pages/forms/fields.ts";
import { LEVEL_FIELDS, type PathRow, readNames, rejectRepeats } from "../../usecases/links/path-rows.ts";
import { checkPaths, createPaths, findBase } from "../../usecases/links/paths.ts";
import { type AppPage, authorizeApp, type Member, type Show } from "../frame.ts";
import { LINK_NOTICES } from "../links/query.ts";
import { readSettings } from "./fields.ts";
import { createdPage, newPage, type Place, pastePage } from "./pages.ts";
import { readLines, toPathOutcome } from "./paste.ts";
import { pathPreview } from "./preview.ts";

/** Room for 100 paths of long names, as a form encodes them. */
const MAX_FORM_BYTES = 2 * 1024 * 1024;

export const newLinkPage: Show = async (context, member) => show(await readPlace(context, member));

const show = (place: Place, rejected?: RejectedForm): AppPage =>
  place.isPaste ? pastePage(place, rejected) : newPage(place, rejected);

async function readPlace(context: Context, member: Member): Promise<Place> {
  const { searchParams } = context.url;
  const token = searchParams.get("parent") || null;
  const found = await findBase(context, scopeOf(member), token);
  authorizeApp(found.access);
  const { base: parent, partners } = found;
  if (parent === null) throw new AppError("not_found", "This app has no link with this token.");
  if (parent?.level === 4) throw new AppError("level_limit");
  return { member, parent, partners, isPaste: searchParams.get("view") === "paste" };
}

const scopeOf = ({ viewer, app }: Member) => ({ ...viewer, appToken: app.token });

export const createLinks: Show = async (context, member) => {
  const form = await readFields(context, MAX_FORM_BYTES);
  const place = await readPlace(context, member);
  try {
    return place.isPaste ? await createMany(context, place, form) : await createOne(context, place, form);
  } catch (error) {
    const isAboutForm = error instanceof AppError && /^(invalid_request|app_full)$/.test(error.code);
    if (!isAboutForm) throw error;
    context.trace.outcome = error.code;
    return { ...show(place, reject(context, error, form)), status: ERRORS[error.code].status };
  }
};

/** The partner is a list or, if that is long, a text. */
function reject({ env }: Context, { code, message, errors }: AppError, form: URLSearchParams): RejectedForm {
  const partner = form.has("partner") ? "partner" : "partner_id";
  const own = errors.map((error) =>
    /^partner(_id)?$/.test(error.param) ? { ...error, param: partner } : error,
  );
  return new RejectedForm(new AppError(code, nameContact(env, message), { errors: own }), form);
}

/** A link that was created so recently was created by the same form, sent twice. */
const TWICE_MS = 60_000;

async function createOne(context: Context, place: Place, form: URLSearchParams) {
  const { member, parent, partners } = place;
  const errors: InputError[] = [];
  const settings = readSettings(form, partners, errors);
  const sent = Object.fromEntries(LEVEL_FIELDS.map((name) => [name, form.get(name) ?? ""]));
  const names = readNames(sent, (parent?.level ?? 0) + 1, errors);
  if (errors.length > 0) throw invalidRequest(errors);
  const row: PathRow = { base: parent?.token ?? null, names, ...settings };
  const isCheck = form.has("check");
  const done = await (isCheck ? checkPaths : createPaths)(context, scopeOf(member), [row]);
  authorizeApp(done.access);
  const [judged, result] = [expectDefined(done.rows[0]), expectDefined(done.results[0])];
  if (result instanceof AppError) throw result;
  if (judged instanceof AppError) throw judged;
  if (isCheck) {
    const preview = pathPreview(context, place, judged, result);
    return newPage(place, undefined, { entered: new RejectedForm(invalidRequest([]), form), preview });
  }
  const isTwice = result.differences.length === 0 && context.now - (result.createdAt ?? 0) < TWICE_MS;
  const notice = result.state === "created" || isTwice ? "created" : "exists";
  return LINK_NOTICES.redirect(`${member.path}/links/${result.token}`, notice);
}

async function createMany(context: Context, place: Place, form: URLSearchParams): Promise<AppPage> {
  const { member, parent } = place;
  const errors: InputError[] = [];
  const settings = readSettings(form, place.partners, errors);
  const lines = readLines(form.get("paths") ?? "", (parent?.level ?? 0) + 1, errors);
  if (errors.length > 0) throw invalidRequest(errors);
  const rows = lines.map(({ names }): PathRow | AppError =>
    names instanceof AppError ? names : { base: parent?.token ?? null, names, ...settings },
  );
  const checked = rejectRepeats(rows, (index) => lines[index]?.number ?? 0, "line");
  const { access, results } = await createPaths(context, scopeOf(member), checked);
  authorizeApp(access);
  const outcomes = lines.map((line, index) => toPathOutcome(line, expectDefined(results[index])));
  return createdPage(place, outcomes, form);
}
