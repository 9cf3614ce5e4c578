/** The settings of single sign-on with one OpenID Connect provider, and what is wrong with them. */
import type { Env } from "../../env.ts";
import { ConfigurationError } from "../../errors.ts";
import { isLocal } from "../../http/https.ts";

export interface SingleSignOn {
  /** Of our pages. */
  origin: string;
  issuer: URL;
  clientId: string;
  clientSecret: string;
  /** What people know the provider by, such as `Acme login`. */
  name: string;
  /** Whether the provider may use http. */
  allowsHttp: boolean;
}

type Settings = Pick<
  Env,
  "ORIGIN" | "OIDC_ISSUER" | "OIDC_CLIENT_ID" | "OIDC_CLIENT_SECRET" | "OIDC_NAME" | "LOCAL_INSECURE"
>;

/**
 * undefined if none of the provider's settings is set. Throws ConfigurationError, with every problem, if they are incomplete or
 * wrong.
 */
export function findSingleSignOn(env: Settings): SingleSignOn | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID: clientId = "", OIDC_CLIENT_SECRET: clientSecret = "" } = env;
  const origin = URL.parse(env.ORIGIN ?? "");
  const issuer = URL.parse(OIDC_ISSUER ?? "");
  const isLocalOrigin = origin !== null && isLocal(origin);
  const problems: string[] = [];
  if (env.LOCAL_INSECURE !== undefined && !isLocalOrigin)
    problems.push("LOCAL_INSECURE is only for tests with a local ORIGIN.");
  const isSet = Boolean(OIDC_ISSUER || clientId || clientSecret);
  if (isSet) {
    const isOrigin = origin !== null && origin.origin === env.ORIGIN?.replace(/\/$/, "");
    if (!isOrigin || !(origin.protocol === "https:" || (isLocalOrigin && origin.protocol === "http:")))
      problems.push("ORIGIN must be the https origin of the pages, such as https://links.example.com.");
    const allowsHttp = env.LOCAL_INSECURE === "1" && isLocalOrigin && issuer?.hostname === "127.0.0.1";
    const isIssuer = issuer !== null && issuer.search === "" && issuer.hash === "";
    if (!isIssuer || !(issuer.protocol === "https:" || (allowsHttp && issuer.protocol === "http:")))
      problems.push("OIDC_ISSUER must be an https URL without a query.");
    if (!clientId) problems.push("OIDC_CLIENT_ID is missing.");
    if (!clientSecret)
      problems.push("OIDC_CLIENT_SECRET is missing: npx wrangler secret put OIDC_CLIENT_SECRET.");
  }
  if (problems.length > 0) throw new ConfigurationError(`${problems.join(" ")} Check wrangler.toml.`);
  if (!isSet || !origin || !issuer) return undefined;
  return {
    origin: origin.origin,
    issuer,
    clientId,
    clientSecret,
    name: env.OIDC_NAME || "single sign-on",
    allowsHttp: issuer.protocol === "http:",
  };
}

/** The name of the provider, if single sign-on can be used. What is wrong with the settings is in /readyz. */
export function nameOfSingleSignOn(env: Settings): string | undefined {
  try {
    return findSingleSignOn(env)?.name;
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** Where a signed-in user signs in again to confirm what the page `next` does; undefined without single sign-on. */
export function confirmationPath(env: Settings, next: string): string | undefined {
  return nameOfSingleSignOn(env) && `/login/sso?${new URLSearchParams({ confirm: "yes", next })}`;
}
