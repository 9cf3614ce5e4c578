/** The schemes that targets of an app's clicks may have, and the confirmation of those that nobody else checks. */
import * as z from "zod/mini";
import { findSchemes } from "../../../db/operator/apps.ts";
import { CHECKED_SCHEMES, isForbiddenScheme } from "../../../domain/engagements/click-target.ts";
import type { InputError } from "../../../errors.ts";
import { plainText, readAs } from "../../../http/input/fields.ts";
import { invalidRequest } from "../../../http/input/parse.ts";

export const scheme = readAs(z.string().check(plainText(1, 64)), (value, reject) => {
  const name = value.toLowerCase();
  if (!/^[a-z][a-z0-9+.-]*$/.test(name)) reject("must be a URL scheme without the colon");
  if (isForbiddenScheme(name))
    reject("must not be a scheme that runs code, reads local data or controls a device");
  return name;
});

export const confirms_schemes = z
  .optional(z.boolean())
  .with(
    z.describe(
      "true: you have checked that each scheme in `redirect_schemes` opens nothing but the app itself. Required for a scheme that no app has yet, other than https, http and intent",
    ),
  );

/** Every scheme that must be confirmed. One that an app has already was confirmed for it. */
export async function findUnconfirmed(
  db: D1Database,
  {
    redirect_schemes: sent = [],
    confirms_schemes,
  }: { redirect_schemes?: string[] | undefined; confirms_schemes?: boolean | undefined },
): Promise<InputError[]> {
  const unchecked = sent.filter((scheme) => !CHECKED_SCHEMES.includes(scheme));
  if (confirms_schemes || unchecked.length === 0) return [];
  const known = await findSchemes(db, unchecked);
  return sent.flatMap((scheme, index) =>
    !unchecked.includes(scheme) || known.includes(scheme)
      ? []
      : { param: `redirect_schemes.${index}`, message: `has ${scheme}, which ${CONFIRM}` },
  );
}
/** Throws invalid_request. */
export async function requireConfirmed(...sent: Parameters<typeof findUnconfirmed>): Promise<void> {
  const errors = await findUnconfirmed(...sent);
  if (errors.length > 0) throw invalidRequest(errors);
}

const CONFIRM = "may open other pages: confirm (confirms_schemes) that it opens only the app itself";
