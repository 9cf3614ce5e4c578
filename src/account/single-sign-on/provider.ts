/**
 * The provider of single sign-on, by oauth4webapi: its metadata, the address of its sign-in page, and who somebody is. Nothing of it
 * is kept but the metadata, for an hour.
 */
import { Buffer } from "node:buffer";
import * as oauth from "oauth4webapi";
import type { SingleSignOn } from "../../auth/single-sign-on/settings.ts";
import { readCache } from "../../db/kv.ts";
import { HOUR_MS } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { logError } from "../../log.ts";

/** The provider does not answer, or not as OpenID Connect says. */
export class ProviderDown extends Error {}

/** The provider does not confirm the sign-in. `message` is for the log: a code, and nothing of what was sent. */
export class Rejected extends Error {}

const DEADLINE_MS = 5_000;
/** More than any provider sends. */
const MAX_BYTES = 512 * 1024;

/** A sign-in that was begun. The browser keeps it in a sealed cookie. */
export type Begun = { state: string; nonce: string; verifier: string };

export async function begin(
  context: Context,
  settings: SingleSignOn,
  confirms: boolean,
): Promise<{ address: string; begun: Begun }> {
  const server = await findServer(context, settings);
  const address = URL.parse(server.authorization_endpoint ?? "");
  if (!address || !(address.protocol === "https:" || settings.allowsHttp))
    throw new ProviderDown("The metadata has no authorization_endpoint.");
  const begun = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  const parameters = {
    client_id: settings.clientId,
    redirect_uri: redirectUri(settings),
    response_type: "code",
    scope: "openid email",
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: "S256",
    ...(confirms && { prompt: "login", max_age: "0" }),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return { address: address.href, begun };
}

/** What the provider says about who signed in. Every text is as sent, so check its length. */
export interface Claims {
  issuer: string;
  subject: string;
  email: unknown;
  email_verified: unknown;
  /** In seconds since 1970. */
  auth_time: number | undefined;
  /** How somebody signed in there (RFC 8176); undefined if the provider did not say. */
  amr: string[] | undefined;
}

/**
 * Checks the callback, and exchanges its code. `useState` is called before the exchange, and throws if the state was used before.
 * Throws ProviderDown or Rejected.
 */
export async function finish(
  context: Context,
  settings: SingleSignOn,
  { state, nonce, verifier }: Begun,
  useState: () => Promise<void>,
): Promise<Claims> {
  const server = await findServer(context, settings);
  const client: oauth.Client = { client_id: settings.clientId };
  const callback = await orRejected(async () =>
    oauth.validateAuthResponse(server, client, context.url, state),
  );
  await useState();
  return orRejected(async () => {
    const options = requestOptions(settings);
    const methods = server.token_endpoint_auth_methods_supported;
    const authentication =
      methods && !methods.includes("client_secret_basic") ? oauth.ClientSecretPost : oauth.ClientSecretBasic;
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication(settings.clientSecret),
      callback,
      redirectUri(settings),
      verifier,
      options,
    );
    const result = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    // Only the connection to the provider vouches for the token otherwise (OpenID Connect Core, 3.1.3.7).
    await oauth.validateApplicationLevelSignature(server, response, options);
    const claims = oauth.getValidatedIdTokenClaims(result);
    if (!claims) throw new Rejected("no_id_token");
    const { sub, azp, amr, email, email_verified, auth_time } = claims;
    // The rest of OpenID Connect Core, 2 and 3.1.3.7: a subject that is one, and a token that is an ID token for us.
    if (!/^[!-~]{1,255}$/.test(sub)) throw new Rejected("bad_subject");
    if (azp !== undefined && azp !== settings.clientId) throw new Rejected("other_party");
    if (!isIdTokenType(result.id_token ?? "")) throw new Rejected("other_token_type");
    return { issuer: server.issuer, subject: sub, email, email_verified, auth_time, amr: toMethods(amr) };
  });
}

/** A provider that sends one method may send it as a text. */
function toMethods(sent: unknown): string[] | undefined {
  const methods = [sent].flat().filter((method) => typeof method === "string");
  return methods.length > 0 ? methods : undefined;
}

/** Whether the header says nothing else, such as `at+jwt` for an access token (RFC 9068). The token was parsed before. */
function isIdTokenType(token: string): boolean {
  const { typ } = JSON.parse(Buffer.from(token.split(".", 1)[0] ?? "", "base64url").toString()) as {
    typ?: unknown;
  };
  return typ === undefined || typ === "JWT";
}

/** Any error of the library means that the provider confirms nobody. It has a code; its text may quote what was sent. */
async function orRejected<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderDown || error instanceof Rejected) throw error;
    const { code, name } = error as { code?: unknown; name?: string };
    throw new Rejected(typeof code === "string" ? code : (name ?? "unknown"));
  }
}

const redirectUri = ({ origin }: SingleSignOn) => `${origin}/login/sso/callback`;

function requestOptions({ allowsHttp }: SingleSignOn) {
  return {
    [oauth.customFetch]: fetchBounded,
    [oauth.allowInsecureRequests]: allowsHttp,
    signal: () => AbortSignal.timeout(DEADLINE_MS),
  };
}

/** The library follows no redirect. A provider that fails, is slow or sends too much is down. */
async function fetchBounded(url: string, options: object): Promise<Response> {
  try {
    const response = await fetch(url, options);
    if (response.status >= 500) throw new Error(`status ${response.status}`);
    const body = response.body && (await readAtMost(response.body, MAX_BYTES));
    return new Response(body, { status: response.status, headers: response.headers });
  } catch (error) {
    throw new ProviderDown(`${new URL(url).origin} failed: ${String(error)}`);
  }
}

async function readAtMost(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error("too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/**
 * One for the isolate and an hour, because the library keeps the provider's keys with this object. It fetches them again for an
 * unknown key, at most once a minute, and after five minutes.
 */
let known: { issuer: string; until: number; server: oauth.AuthorizationServer } | undefined;

async function findServer(context: Context, settings: SingleSignOn): Promise<oauth.AuthorizationServer> {
  const { now } = context;
  const issuer = settings.issuer.href;
  if (known?.issuer === issuer && known.until > now) return known.server;
  const stored = await readStored(context, settings);
  const found = stored && stored.until > now ? stored : await discover(context, settings);
  known = { ...found, issuer };
  return found.server;
}

type Stored = { until: number; server: oauth.AuthorizationServer };

/** Beside the tokens, whose keys are hashes. */
const keyOf = ({ issuer }: SingleSignOn) => `single sign-on ${issuer.href}`.slice(0, 500);

async function readStored({ env, requestId }: Context, settings: SingleSignOn): Promise<Stored | null> {
  try {
    return await readCache(env.TOKENS.get<Stored>(keyOf(settings), "json"));
  } catch (error) {
    logError(requestId, error);
    return null;
  }
}

async function discover(context: Context, settings: SingleSignOn): Promise<Stored> {
  let server: oauth.AuthorizationServer;
  try {
    const response = await oauth.discoveryRequest(settings.issuer, requestOptions(settings));
    server = await oauth.processDiscoveryResponse(settings.issuer, response);
  } catch (error) {
    if (error instanceof ProviderDown) throw error;
    const { code } = error as { code?: unknown };
    throw new ProviderDown(`The metadata of OIDC_ISSUER is not valid: ${code}`);
  }
  const stored = { until: context.now + HOUR_MS, server };
  const options = { expirationTtl: HOUR_MS / 1000 };
  context.afterResponse(context.env.TOKENS.put(keyOf(settings), JSON.stringify(stored), options));
  return stored;
}
