/** The forms of a link's settings. Each redirects back to the settings; a rejected one shows them with what was entered. */
import * as z from "zod/mini";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { readForm } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { RejectedForm } from "../../pages/forms/fields.ts";
import { linkTarget, type StoredLink } from "../../usecases/links/link.ts";
import { linkName } from "../../usecases/links/link-name.ts";
import { changeLinks, type LinkUpdate } from "../../usecases/links/updates.ts";
import { describeChange } from "../bulk/outcomes.ts";
import { authorizeApp, type Member, type Show, scopeOf } from "../frame.ts";
import { choiceFields, explainRejection, toUpdate } from "./choice.ts";
import { type EditedLink, linkNotFound, readLink, type SectionName, settingsIn } from "./edited-link.ts";
import { renderSettings, SETTINGS_NOTICES, type State } from "./settings.ts";

/** For a reload of a rejected form. */
export const backToSettings: Show = async (context, member) => redirectResponse(pathOf(context, member));

const pathOf = ({ params }: Context, { path }: Member) =>
  `${path}/links/${encodeURIComponent(params.link_token ?? "")}/settings`;

interface Setting<Form extends z.ZodMiniObject> {
  section: SectionName;
  fields: Form;
  toUpdate: (sent: z.output<Form>, link: StoredLink) => LinkUpdate;
  done: (typeof SETTINGS_NOTICES.names)[number];
  /** What the page shows if somebody else changed the setting. */
  again?: (sent: z.output<Form>) => Partial<State>;
}

const submit =
  <Form extends z.ZodMiniObject>(setting: Setting<Form>): Show =>
  async (context, member) => {
    const { section, done, again } = setting;
    const reject = (edited: EditedLink, error: AppError, sent: URLSearchParams, more?: Partial<State>) => {
      context.trace.outcome = error.code;
      const rejected = { section, form: new RejectedForm(error, sent) };
      return renderSettings(context, member, edited, { ...more, rejected });
    };
    const form = await readForm(context, setting.fields);
    if ("errors" in form)
      return reject(await readLink(context, member), invalidRequest(form.errors), form.sent);
    const toUpdate = (link: StoredLink) => setting.toUpdate(form.fields, link);
    const version = String(form.fields.reviewed);
    const { result, isStale } = await change(context, member, toUpdate, { section, version });
    const { rejection, targetError, isChanged, before, after } = result;
    if (!rejection && !isStale)
      return SETTINGS_NOTICES.redirect(pathOf(context, member), isChanged ? done : "unchanged");
    const edited = await readLink(context, member);
    const sent = new URLSearchParams(
      Object.entries(form.fields).map(([name, value]) => [name, String(value)]),
    );
    if (!isStale)
      return reject(edited, targetError ?? invalidRequest([explainRejection(edited, result)]), sent);
    const message = `${SAVE_AGAIN} ${describeChange(before, after, edited.partners)}`;
    const error = new AppError("link_changed", undefined, { errors: [{ param: section, message }] });
    return reject(edited, error, sent, again?.(form.fields));
  };

const SAVE_AGAIN = "Save again to replace it.";
/** Without it, the form is shown again, as if somebody else had changed the link. */
const reviewed = z._default(z.string(), "");

const submitName = submit({
  section: "name",
  fields: z.object({ name: linkName, reviewed }),
  toUpdate: ({ name }) => ({ name }),
  done: "renamed",
});

const targetForm = z
  .object({
    leads: z.enum(["inherit", "none", "own"], "must be chosen from the list"),
    target: linkTarget,
    reviewed,
  })
  .check(
    z.refine(({ leads, target }) => leads !== "own" || target !== "", {
      path: ["target"],
      message: "must not be empty",
    }),
  );

const submitTarget = submit({
  section: "target",
  fields: targetForm,
  toUpdate: ({ leads, target }) => ({ target: { inherit: null, none: "", own: target }[leads] }),
  done: "targeted",
});

const submitPartner = submit({
  section: "partner",
  fields: z.object({ ...choiceFields, reviewed }),
  toUpdate,
  done: "saved",
  again: (choice) => ({ choice, isPreview: true }),
});

const archivedForm = z.object({ archived: z.enum(["yes", "no"], "must be yes or no") });

const submitArchived: Show = async (context, member) => {
  const form = await readForm(context, archivedForm);
  if ("errors" in form) throw invalidRequest(form.errors);
  const archived = form.fields.archived === "yes";
  await change(context, member, () => ({ archived }));
  return SETTINGS_NOTICES.redirect(pathOf(context, member), archived ? "archived" : "restored");
};

/** The form of each section, by the end of its path. */
export const SETTING_FORMS: Record<SectionName, Show> = {
  name: submitName,
  archived: submitArchived,
  partner: submitPartner,
  target: submitTarget,
};

/** Throws not_found and session_ended. `seen`: the section that showed the link, and the version that it showed. */
async function change(
  context: Context,
  member: Member,
  updateOf: (link: StoredLink) => LinkUpdate,
  seen?: { section: SectionName; version: string },
) {
  const token = context.params.link_token ?? "";
  const { access, results, isStale } = await changeLinks(context, scopeOf(member), [token], updateOf, {
    ...(seen && { reviewed: { settings: settingsIn(seen.section), version: seen.version } }),
    record: { source: "settings" },
  });
  authorizeApp(access);
  const result = results.get(token);
  if (!result) throw linkNotFound();
  return { result, isStale };
}
