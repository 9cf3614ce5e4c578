/** The forms of a link's settings. Each redirects back to the settings; a rejected one shows them with what was entered. */
import * as z from "zod/mini";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { readForm } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { RejectedForm, rejectedWith } from "../../pages/forms/fields.ts";
import { linkName, linkTarget } from "../../usecases/links/link.ts";
import { changeLinks, type LinkUpdate, type SeenLink } from "../../usecases/links/updates.ts";
import { authorizeApp, type Member, type Show, scopeOf } from "../frame.ts";
import { describeCost, explainRejection, FORM_INCOMPLETE, seenFields, toSeen, toUpdate } from "./choice.ts";
import { linkNotFound, readLink } from "./edited-link.ts";
import { INHERITED, renderSettings, SETTINGS_NOTICES } from "./settings.ts";

/** For a reload of a rejected form. */
export const backToSettings: Show = async (context, member) => redirectResponse(pathOf(context, member));

const pathOf = ({ params }: Context, { path }: Member) =>
  `${path}/links/${encodeURIComponent(params.link_token ?? "")}/settings`;

const nameForm = z.object({ name: linkName, seen_name: z.string(FORM_INCOMPLETE) });

export const submitName: Show = async (context, member) => {
  const form = await readForm(context, nameForm);
  if ("errors" in form) {
    const edited = await readLink(context, member);
    const nameRejected = rejectedWith(form.errors, form.sent);
    context.trace.outcome = nameRejected.error.code;
    return renderSettings(context, member, edited, { nameRejected });
  }
  const { name, seen_name } = form.fields;
  const { rejection, isChanged } = await change(context, member, { name }, { label: seen_name });
  if (!rejection)
    return SETTINGS_NOTICES.redirect(pathOf(context, member), isChanged ? "renamed" : "unchanged");
  const edited = await readLink(context, member);
  const now = `The name is “${edited.row.label}” now. You entered “${name}”. Rename the link again to replace it.`;
  const nameRejected = conflict(context, [{ param: "name", message: now }], new URLSearchParams({ name }));
  return renderSettings(context, member, edited, { nameRejected });
};

const targetForm = z.object({
  leads: z.enum(["inherit", "none", "own"], "must be one of the list"),
  target: linkTarget,
  seen_target: z.string(FORM_INCOMPLETE),
});

export const submitTarget: Show = async (context, member) => {
  const form = await readForm(context, targetForm);
  if ("errors" in form) return rejectTarget(context, member, rejectedWith(form.errors, form.sent));
  const { leads, target, seen_target } = form.fields;
  const sent = new URLSearchParams({ leads, target });
  if (leads === "own" && target === "")
    return rejectTarget(
      context,
      member,
      rejectedWith([{ param: "target", message: "must not be empty" }], sent),
    );
  const chosen = { inherit: null, none: "", own: target }[leads];
  const seen = seen_target === INHERITED ? null : seen_target;
  const result = await change(context, member, { target: chosen }, { target: seen });
  if (!result.rejection)
    return SETTINGS_NOTICES.redirect(pathOf(context, member), result.isChanged ? "targeted" : "unchanged");
  if (result.targetError) return rejectTarget(context, member, new RejectedForm(result.targetError, sent));
  const { target: now } = result.before;
  const message = `The target is ${now === null ? "inherited" : now === "" ? "the app's URLs" : now} now. Save again to replace it.`;
  return rejectTarget(context, member, conflict(context, [{ param: "target", message }], sent));
};

async function rejectTarget(context: Context, member: Member, targetRejected: RejectedForm) {
  context.trace.outcome = targetRejected.error.code;
  return renderSettings(context, member, await readLink(context, member), { targetRejected });
}

const archivedForm = z.object({ archived: z.enum(["yes", "no"], "must be yes or no") });

export const submitArchived: Show = async (context, member) => {
  const form = await readForm(context, archivedForm);
  if ("errors" in form) throw invalidRequest(form.errors);
  const archived = form.fields.archived === "yes";
  await change(context, member, { archived });
  return SETTINGS_NOTICES.redirect(pathOf(context, member), archived ? "archived" : "restored");
};

export const submitPartner: Show = async (context, member) => {
  const form = await readForm(context, seenFields);
  if ("errors" in form) {
    const edited = await readLink(context, member);
    const choiceRejected = rejectedWith(form.errors, form.sent);
    context.trace.outcome = choiceRejected.error.code;
    return renderSettings(context, member, edited, { choiceRejected });
  }
  const { partner, cost, seen_partner, seen_cost } = form.fields;
  const choice = { partner, cost };
  const update = toUpdate(choice, { partner: seen_partner, cost: seen_cost });
  const result = await change(context, member, update, toSeen(form.fields));
  if (!result.rejection)
    return SETTINGS_NOTICES.redirect(pathOf(context, member), result.isChanged ? "saved" : "unchanged");
  const edited = await readLink(context, member);
  const sent = new URLSearchParams({ partner: String(partner), cost });
  if (result.rejection !== "link_changed") {
    const choiceRejected = rejectedWith([explainRejection(edited, result, choice)], sent);
    context.trace.outcome = result.rejection;
    return renderSettings(context, member, edited, { choiceRejected });
  }
  const { link, row, partners } = edited;
  const nameOf = (id: number | null) => (id === null ? "No partner" : (partners.get(id)?.displayName ?? id));
  const choiceRejected = conflict(
    context,
    [
      {
        param: "partner",
        message: `Partner now: ${nameOf(row.partnerId)}. You chose: ${nameOf(partner === "none" ? null : partner)}.`,
      },
      {
        param: "cost",
        message: `Cost data now: ${describeCost(row, link.cost_data_enabled)}. You chose: ${CHOSEN[cost]}.`,
      },
    ],
    sent,
  );
  return renderSettings(context, member, edited, { choice, choiceRejected, isPreview: true });
};

const CHOSEN = { on: "On", off: "Off", inherit: "Inherit from parent" };

function conflict(context: Context, errors: { param: string; message: string }[], sent: URLSearchParams) {
  context.trace.outcome = "link_changed";
  return new RejectedForm(new AppError("link_changed", undefined, { errors }), sent);
}

/** Throws not_found and session_ended. */
async function change(context: Context, member: Member, update: LinkUpdate, seen?: SeenLink) {
  const token = context.params.link_token ?? "";
  const { access, results } = await changeLinks(context, scopeOf(member), [token], () => update, {
    seen: seen && { [token]: seen },
    source: "settings",
  });
  authorizeApp(access);
  const result = results.get(token);
  if (!result) throw linkNotFound();
  return result;
}
