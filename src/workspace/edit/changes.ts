/** The forms of a link's settings. Each redirects back to the settings; a rejected one shows them with what was entered. */
import * as z from "zod/mini";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { readForm } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { RejectedForm } from "../../pages/forms/fields.ts";
import { linkTarget, type StoredLink } from "../../usecases/links/link.ts";
import { linkName } from "../../usecases/links/link-name.ts";
import { changeLinks, type LinkUpdate, type SeenLink } from "../../usecases/links/updates.ts";
import { authorizeApp, type Member, type Show, scopeOf } from "../frame.ts";
import { describeCost, explainRejection, FORM_INCOMPLETE, seenFields, toSeen, toUpdate } from "./choice.ts";
import { type EditedLink, linkNotFound, readLink } from "./edited-link.ts";
import { INHERITED, renderSettings, SETTINGS_NOTICES, type SectionName, type State } from "./settings.ts";

/** For a reload of a rejected form. */
export const backToSettings: Show = async (context, member) => redirectResponse(pathOf(context, member));

const pathOf = ({ params }: Context, { path }: Member) =>
  `${path}/links/${encodeURIComponent(params.link_token ?? "")}/settings`;

interface Setting<Form extends z.ZodMiniObject> {
  section: SectionName;
  fields: Form;
  toUpdate: (sent: z.output<Form>, link: StoredLink) => LinkUpdate;
  /** What the page showed. */
  toSeen: (sent: z.output<Form>) => SeenLink;
  done: (typeof SETTINGS_NOTICES.names)[number];
  /** What the link has now instead of what the page showed. */
  explain: (sent: z.output<Form>, now: StoredLink, edited: EditedLink) => InputError[];
  /** What the page shows then. */
  again?: (sent: z.output<Form>) => Partial<State>;
}

const submit =
  <Form extends z.ZodMiniObject>(setting: Setting<Form>): Show =>
  async (context, member) => {
    const { section, done, again } = setting;
    const reject = (
      edited: EditedLink,
      error: AppError,
      sent: URLSearchParams,
      more: Partial<State> = {},
    ) => {
      context.trace.outcome = error.code;
      const rejected = { section, form: new RejectedForm(error, sent) };
      return renderSettings(context, member, edited, { ...more, rejected });
    };
    const form = await readForm(context, setting.fields);
    if ("errors" in form)
      return reject(await readLink(context, member), invalidRequest(form.errors), form.sent);
    const toUpdate = (link: StoredLink) => setting.toUpdate(form.fields, link);
    const result = await change(context, member, toUpdate, setting.toSeen(form.fields));
    const { rejection, targetError, isChanged, before } = result;
    if (!rejection) return SETTINGS_NOTICES.redirect(pathOf(context, member), isChanged ? done : "unchanged");
    const edited = await readLink(context, member);
    const sent = new URLSearchParams(
      Object.entries(form.fields).map(([name, value]) => [name, String(value)]),
    );
    if (rejection !== "link_changed")
      return reject(edited, targetError ?? invalidRequest([explainRejection(edited, result)]), sent);
    const errors = setting.explain(form.fields, before, edited);
    return reject(edited, new AppError("link_changed", undefined, { errors }), sent, again?.(form.fields));
  };

export const submitName = submit({
  section: "name",
  fields: z.object({ name: linkName, seen_name: z.string(FORM_INCOMPLETE) }),
  toUpdate: ({ name }) => ({ name }),
  toSeen: ({ seen_name }) => ({ label: seen_name }),
  done: "renamed",
  explain: ({ name }, { label }) => [
    {
      param: "name",
      message: `The name is “${label}” now. You entered “${name}”. Rename the link again to replace it.`,
    },
  ],
});

const targetForm = z
  .object({
    leads: z.enum(["inherit", "none", "own"], "must be one of the list"),
    target: linkTarget,
    seen_target: z.string(FORM_INCOMPLETE),
  })
  .check(
    z.refine(({ leads, target }) => leads !== "own" || target !== "", {
      path: ["target"],
      message: "must not be empty",
    }),
  );

export const submitTarget = submit({
  section: "target",
  fields: targetForm,
  toUpdate: ({ leads, target }) => ({ target: { inherit: null, none: "", own: target }[leads] }),
  toSeen: ({ seen_target }) => ({ target: seen_target === INHERITED ? null : seen_target }),
  done: "targeted",
  explain: (_, { target }) => {
    const now = target === null ? "inherited" : target === "" ? "the app's URLs" : target;
    return [{ param: "target", message: `The target is ${now} now. Save again to replace it.` }];
  },
});

const CHOSEN = { on: "On", off: "Off", inherit: "Inherit from parent" };

export const submitPartner = submit({
  section: "partner",
  fields: seenFields,
  toUpdate,
  toSeen,
  done: "saved",
  explain: ({ partner, cost }, _, { link, row, partners }) => {
    const nameOf = (id: number | null) =>
      id === null ? "No partner" : (partners.get(id)?.displayName ?? id);
    const chosen = nameOf(partner === "none" ? null : partner);
    return [
      { param: "partner", message: `Partner now: ${nameOf(row.partnerId)}. You chose: ${chosen}.` },
      {
        param: "cost",
        message: `Cost data now: ${describeCost(row, link.cost_data_enabled)}. You chose: ${CHOSEN[cost]}.`,
      },
    ];
  },
  again: (choice) => ({ choice, isPreview: true }),
});

const archivedForm = z.object({ archived: z.enum(["yes", "no"], "must be yes or no") });

export const submitArchived: Show = async (context, member) => {
  const form = await readForm(context, archivedForm);
  if ("errors" in form) throw invalidRequest(form.errors);
  const archived = form.fields.archived === "yes";
  await change(context, member, () => ({ archived }));
  return SETTINGS_NOTICES.redirect(pathOf(context, member), archived ? "archived" : "restored");
};

/** Throws not_found and session_ended. */
async function change(
  context: Context,
  member: Member,
  updateOf: (link: StoredLink) => LinkUpdate,
  seen?: SeenLink,
) {
  const token = context.params.link_token ?? "";
  const { access, results } = await changeLinks(context, scopeOf(member), [token], updateOf, {
    seen,
    record: { source: "settings" },
  });
  authorizeApp(access);
  const result = results.get(token);
  if (!result) throw linkNotFound();
  return result;
}
