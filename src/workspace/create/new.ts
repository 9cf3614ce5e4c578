/** `/apps/{app}/links/new`: creates the links of one path. A path that exists is used, so sending a form twice creates each link once. */
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { AppError, ERRORS } from "../../errors.ts";
import { readFields } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { nameContact } from "../../pages/contact.ts";
import { RejectedForm } from "../../pages/forms/fields.ts";
import { LEVEL_FIELDS, type PathRow } from "../../usecases/links/path-rows.ts";
import type { PathResult } from "../../usecases/links/path-rules.ts";
import { checkPaths, createPaths } from "../../usecases/links/paths.ts";
import { authorizeApp, type Show, scopeOf } from "../frame.ts";
import { LINK_NOTICES } from "../links/query.ts";
import { readCells, toRow } from "../transfer/import-rows.ts";
import { SETTING_FIELDS } from "./fields.ts";
import { newPage } from "./pages.ts";
import { firstLevelOf, type Place, readPlace } from "./place.ts";
import { pathPreview } from "./preview.ts";

export const newLinkPage: Show = async (context, member) => newPage(await readPlace(context, member));

export const createLinks: Show = async (context, member) => {
  const form = await readFields(context);
  const place = await readPlace(context, member);
  try {
    return await createOne(context, place, form);
  } catch (error) {
    const isAboutForm = error instanceof AppError && /^(invalid_request|app_full)$/.test(error.code);
    if (!isAboutForm) throw error;
    context.trace.outcome = error.code;
    return { ...newPage(place, reject(context, error, form)), status: ERRORS[error.code].status };
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
  const { member, partners } = place;
  const values = readCells(form, [...LEVEL_FIELDS.slice(firstLevelOf(place) - 1), ...SETTING_FIELDS]);
  const sent = toRow({ number: 1, values }, place);
  if (sent.error) throw await withMore(context, place, values, sent.error);
  const rows = toRows(sent, form.get("attach"));
  const isCheck = form.has("check");
  // The link that the partner is attached to can be there with another one, which nothing here changes.
  if (rows.length > 1) {
    const { access, results } = await checkPaths(context, scopeOf(member), rows);
    authorizeApp(access);
    rejectOther(results[0], rows[0]?.names.at(-1) ?? "");
  }
  const done = isCheck
    ? await checkPaths(context, scopeOf(member), rows)
    : await createPaths(context, scopeOf(member), rows, { source: "create" });
  authorizeApp(done.access);
  const result = expectDefined(done.results.at(-1));
  if (result instanceof AppError) throw await withMore(context, place, values, result);
  if (isCheck) {
    const preview = pathPreview(context, partners, done.rows, result);
    return newPage(place, undefined, { entered: new RejectedForm(invalidRequest([]), form), preview });
  }
  const isTwice = context.now - (result.createdAt ?? 0) < TWICE_MS;
  const isOther = result.differences.length > 0;
  const found = isOther ? (isTwice ? "twice" : "differs") : isTwice ? "created" : "exists";
  const notice = result.state === "created" ? "created" : found;
  return LINK_NOTICES.redirect(`${member.path}/links/${result.token}`, notice);
}

/** The error, with what is wrong without the fields that it names: a person reads everything in one response. */
async function withMore(
  context: Context,
  place: Place,
  values: Parameters<typeof toRow>[0]["values"],
  error: AppError,
): Promise<AppError> {
  const wrong = new Set(error.errors.map(({ param }) => param));
  // Whether cost data can be on is a question of the partner.
  const hasPartner = !wrong.has("partner") && !wrong.has("partner_id");
  const isOther = (name: string) => !wrong.has(name) && (hasPartner || !/^(partner|cost_data)/.test(name));
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => isOther(name)));
  const row = toRow({ number: 1, values: others }, place);
  if (error.code !== "invalid_request" || row.error) return error;
  const { results } = await checkPaths(context, scopeOf(place.member), [row]);
  const more = results.flatMap((result) => (result instanceof AppError ? result.errors : []));
  if (!more.some(({ param }) => isOther(param))) return error;
  return withMore(context, place, values, invalidRequest([...error.errors, ...more]));
}

/** The path, and before it the link of the path that gets the partner and the cost switch, if that is not the last one. */
function toRows(row: PathRow, attach: string | null): PathRow[] {
  const depth = Number(/^[1-4]$/.exec(attach ?? "")?.[0] ?? row.names.length);
  const { partnerId, partnerName, costSwitch } = row;
  const hasSettings = partnerId !== null || partnerName !== undefined || costSwitch !== null;
  if (depth >= row.names.length || !hasSettings) return [row];
  return [
    { ...row, names: row.names.slice(0, depth), target: null },
    { ...row, partnerId: null, partnerName: undefined, costSwitch: null },
  ];
}

function rejectOther(result: PathResult | AppError | undefined, name: string): void {
  if (result instanceof AppError) throw result;
  if (!result || result.differences.length === 0) return;
  const message = `${name} already exists. ${result.differences.join(" ")} Attach the partner to a link below it, or change the settings of ${name}.`;
  throw invalidRequest([{ param: "attach", message: message.charAt(0).toUpperCase() + message.slice(1) }]);
}
