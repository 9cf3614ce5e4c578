/** The fields of an app, for the forms that create and change one. */

import { html } from "hono/html";
import { DEFAULT_MAX_LINKS } from "../../../domain/sub-links.ts";
import { showCount } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import type { AppItem } from "../../api/apps.ts";
import { field, orNull, pick, toLines } from "../elements.ts";
import type { Form, FormError } from "../layout.ts";

export function appFields(app: Partial<AppItem>, formError?: FormError): Markup {
  return html`
    ${field({ name: "name", label: "Name", value: app.name ?? "", required: true }, formError)}
    ${field({ name: "default_url", label: "Default URL", type: "url", value: app.default_url ?? "", required: true, hint: "Used when no other destination matches." }, formError)}
    ${field({ name: "ios_url", label: "App Store URL", type: "url", value: app.ios_url ?? "" }, formError)}
    ${field({ name: "android_url", label: "Google Play URL", type: "url", value: app.android_url ?? "" }, formError)}
    ${field({ name: "redirect_hosts", label: "Allowed redirect hosts", rows: 3, value: app.redirect_hosts?.join("\n") ?? "", hint: "One per line, e.g. shop.example.com" }, formError)}
    ${field({ name: "redirect_schemes", label: "Allowed redirect URL schemes", rows: 2, value: app.redirect_schemes?.join("\n") ?? "", hint: "One per line, e.g. https or your app's own scheme" }, formError)}
    ${field({ name: "max_links", label: "Maximum number of links", value: String(app.max_links ?? DEFAULT_MAX_LINKS), required: true, hint: `Links that users create, at all levels. ${app.created_link_count === undefined ? "" : `The app has ${showCount(app.created_link_count)} now.`}` }, formError)}`;
}

export function toBody(form: Form) {
  return {
    ...pick(form, "name", "default_url"),
    ios_url: orNull(form.get("ios_url")),
    android_url: orNull(form.get("android_url")),
    redirect_hosts: toLines(form.get("redirect_hosts")),
    redirect_schemes: toLines(form.get("redirect_schemes")),
    ...(form.has("max_links") && { max_links: toDigits(form.get("max_links")) }),
  };
}

/** Text that is not a whole number in digits stays text, which the API rejects. */
function toDigits(text: string | null): number | string | null {
  const trimmed = text?.trim() ?? "";
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : text;
}
