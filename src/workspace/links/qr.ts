/** The QR code of a link's URL, as SVG. */
import { renderSVG } from "uqr";
import { findLink } from "../../db/links/links.ts";
import { AppError } from "../../errors.ts";
import { securityHeaders } from "../../http/redirect.ts";
import { toLink } from "../../usecases/links/link.ts";
import { authorizeApp, type Show } from "../frame.ts";

/** Readers need this many modules of white around the code. */
const QUIET_ZONE = 4;

export const qrCode: Show = async (context, { viewer, app }) => {
  const scope = { ...viewer, appToken: app.token, linkToken: context.params.link_token ?? "" };
  const { access, link, partners } = await findLink(context.env.DB, scope);
  authorizeApp(access);
  if (!link) throw new AppError("not_found", "This app has no link with this token.");
  // Without the partner's macros, which nobody replaces on paper.
  const { url } = toLink(link, partners, context);
  return new Response(renderSVG(url, { ecc: "M", border: QUIET_ZONE }), {
    headers: { "content-type": "image/svg+xml", ...securityHeaders() },
  });
};
