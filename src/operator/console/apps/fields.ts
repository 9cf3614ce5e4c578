/** The form that creates or changes an app. */
import { DEFAULT_MAX_LINKS, DEFAULT_MAX_NEW_SUB_LINKS } from "../../../domain/engagements/sub-links.ts";
import { sentBody } from "../../../pages/forms/form.ts";
import { showCount } from "../../../pages/locale.ts";
import { APP, type AppItem } from "../../api/apps.ts";
import type { Form } from "../layout.ts";

const { max_links } = APP.form;

/** The fields with their values, by default those of a new app. */
export function appFields(shown: Partial<AppItem> = {}) {
  const { created_link_count: count } = shown;
  const used = count === undefined ? "" : ` The app has ${showCount(count)} now.`;
  return {
    fields: { ...APP.form, max_links: { ...max_links, hint: max_links.hint + used } },
    values: {
      max_links: DEFAULT_MAX_LINKS,
      max_new_sub_links: DEFAULT_MAX_NEW_SUB_LINKS,
      ...shown,
    },
  };
}

export const toBody = (sent: Form) => sentBody(APP.form, sent);
