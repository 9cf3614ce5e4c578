/** The form that creates or changes an app. */
import { DEFAULT_MAX_LINKS, DEFAULT_MAX_NEW_SUB_LINKS } from "../../../domain/engagements/sub-links.ts";
import { type Fields, sentBody } from "../../../pages/forms/form.ts";
import { showCount } from "../../../pages/locale.ts";
import { APP, type AppItem } from "../../api/apps/apps.ts";
import type { Form } from "../layout.ts";

const { max_links, redirect_hosts, redirect_schemes, ...others } = APP.form;
const FIELDS = {
  ...others,
  max_links,
  redirect_hosts,
  redirect_schemes,
  confirms_schemes: {
    label:
      "I have checked that each of these schemes, except https, http and intent, opens only the app itself",
    box: true,
  },
} satisfies Fields;

/** The fields with their values, by default those of a new app. */
export function appFields(shown: Partial<AppItem> = {}) {
  const { created_link_count: count } = shown;
  const used = count === undefined ? "" : ` The app has ${showCount(count)} now.`;
  return {
    fields: { ...FIELDS, max_links: { ...max_links, hint: max_links.hint + used } },
    values: {
      max_links: DEFAULT_MAX_LINKS,
      max_new_sub_links: DEFAULT_MAX_NEW_SUB_LINKS,
      ...shown,
    },
  };
}

export const toBody = (sent: Form) => sentBody(FIELDS, sent);
