/** The QR code of a link's URL, as SVG. */
import { findLink } from "../../db/links/links.ts";
import { AppError } from "../../errors.ts";
import { securityHeaders } from "../../http/redirect.ts";
import { qrSvg } from "../../pages/qr.ts";
import { toLink } from "../../usecases/links/link.ts";
import { authorizeApp, type Show } from "../frame.ts";

export const qrCode: Show = async (context, { viewer, app }) => {
  const scope = { ...viewer, appToken: app.token, linkToken: context.params.link_token ?? "" };
  const { access, link, partners } = await findLink(context.env.DB, scope);
  authorizeApp(access);
  if (!link) throw new AppError("not_found", "This app has no link with this token.");
  // Without the partner's macros, which nobody replaces on paper.
  const { url } = toLink(link, partners, context);
  return new Response(qrSvg(url, "M"), {
    headers: { "content-type": "image/svg+xml", ...securityHeaders() },
  });
};
