/** The fields of an app, for the forms that create and change one. */
import { DEFAULT_MAX_LINKS } from "../../../domain/engagements/sub-links.ts";
import { type Fields, sentBody, type Values } from "../../../pages/form.ts";
import { showCount } from "../../../pages/locale.ts";
import type { AppItem } from "../../api/apps.ts";
import { type Form, orNull } from "../layout.ts";

const FIELDS = {
  name: { label: "Name", required: true },
  default_url: {
    label: "Default URL",
    type: "url",
    required: true,
    hint: "Used when no other destination matches.",
  },
  ios_url: { label: "App Store URL", type: "url" },
  android_url: { label: "Google Play URL", type: "url" },
  redirect_hosts: { label: "Allowed redirect hosts", rows: 3, hint: "One per line, e.g. shop.example.com" },
  redirect_schemes: {
    label: "Allowed redirect URL schemes",
    rows: 2,
    hint: "One per line, e.g. https or your app's own scheme",
  },
  max_links: {
    label: "Maximum number of links",
    required: true,
    hint: "Links that users create, at all levels.",
  },
  audience: { label: "Count clicks, impressions and costs by country and platform", box: true },
} satisfies Fields;

/** The fields with their values, by default those of a new app. */
export function appFields(app: Partial<AppItem> = {}): { fields: Fields; values: Values } {
  const { max_links } = FIELDS;
  const used =
    app.created_link_count === undefined ? "" : ` The app has ${showCount(app.created_link_count)} now.`;
  return {
    fields: { ...FIELDS, max_links: { ...max_links, hint: max_links.hint + used } },
    values: { max_links: DEFAULT_MAX_LINKS, audience: true, ...app },
  };
}

export function toBody(form: Form) {
  return {
    ...sentBody(FIELDS, form),
    ios_url: orNull(form.get("ios_url")),
    android_url: orNull(form.get("android_url")),
    redirect_hosts: toLines(form.get("redirect_hosts")),
    redirect_schemes: toLines(form.get("redirect_schemes")),
    ...(form.has("max_links") && { max_links: toDigits(form.get("max_links")) }),
  };
}

/** The items of a text area with one item per line. */
export function toLines(text: string | null): string[] {
  const lines = (text ?? "").split(/[\r\n]+/);
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** Text that is not a whole number in digits stays text, which the API rejects. */
function toDigits(text: string | null): number | string | null {
  const trimmed = text?.trim() ?? "";
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : text;
}
