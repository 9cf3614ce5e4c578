/**
 * A real provider of single sign-on: oidc-provider on a free port. Its page asks only for an account. Tests can change what it sends,
 * as an attacker or a wrong provider would.
 */
import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const CLIENT = { id: "linkledger", secret: "the-client-secret-of-the-tests" };

/** By subject: the claims of each account. */
export type Accounts = Record<string, Record<string, unknown>>;

interface Key {
  kid: string;
  privateKey: KeyObject;
}

function createKey(kid: string): Key {
  return { kid, privateKey: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
type Json = Record<string, unknown>;

/** An ID token with these claims. Without a key, it has no signature, or one with the client's secret. */
export function sign(claims: Json, signer: Key | "none" | "HS256", typ: string | null = "JWT"): string {
  const header = typeof signer === "string" ? { alg: signer } : { alg: "RS256", kid: signer.kid };
  const text = `${encode({ ...(typ !== null && { typ }), ...header })}.${encode(claims)}`;
  if (signer === "none") return `${text}.`;
  if (signer === "HS256")
    return `${text}.${createHmac("sha256", CLIENT.secret).update(text).digest("base64url")}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(signer.privateKey).toString("base64url")}`;
}

export interface TestProvider {
  issuer: string;
  accounts: Accounts;
  /** Changes the claims of the next ID tokens, or the whole token if it returns a text. */
  changeToken: ((claims: Json, key: Key) => Json | string) | undefined;
  /** Changes the metadata that it sends. */
  changeMetadata: ((metadata: Json) => Json) | undefined;
  /** How many requests each path got. */
  requests: Record<string, number>;
  /** Whether it answers 503 to everything. */
  isDown: boolean;
  /** Signs with a new key from now on, and publishes only that one. */
  rotateKeys: () => void;
  /** A key that it does not publish. */
  unknownKey: Key;
  stop: () => Promise<void>;
}

/** `origin` is that of the Worker. */
export async function startProvider(origin: string): Promise<TestProvider> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let key = createKey("key-1");
  let provider = createProvider(issuer, origin, key, () => test.accounts);
  const test: TestProvider = {
    issuer,
    accounts: {},
    changeToken: undefined,
    changeMetadata: undefined,
    requests: {},
    isDown: false,
    unknownKey: createKey("key-unknown"),
    rotateKeys() {
      key = createKey(`key-${crypto.randomUUID()}`);
      provider = createProvider(issuer, origin, key, () => test.accounts);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "", issuer);
    test.requests[pathname] = (test.requests[pathname] ?? 0) + 1;
    if (test.isDown) return void response.writeHead(503).end();
    if (pathname.startsWith("/interaction/")) return interact(provider, request, response);
    if (pathname === "/token") rewrite(response, changeIdToken);
    if (pathname.startsWith("/.well-known/"))
      rewrite(response, (json) => test.changeMetadata?.(json) ?? json);
    await provider.callback()(request, response);
  }

  function changeIdToken(json: Json): Json {
    if (!test.changeToken || typeof json.id_token !== "string") return json;
    const claims = JSON.parse(Buffer.from(json.id_token.split(".")[1] ?? "", "base64url").toString());
    const changed = test.changeToken(claims, key);
    return { ...json, id_token: typeof changed === "string" ? changed : sign(changed, key) };
  }
  return test;
}

/** Changes the JSON that a response is about to send. */
function rewrite(response: ServerResponse, change: (json: Json) => Json): void {
  const end = response.end.bind(response);
  response.end = ((body: unknown) => {
    const text = JSON.stringify(change(JSON.parse(String(body))));
    response.setHeader("content-length", Buffer.byteLength(text));
    return end(text);
  }) as typeof response.end;
}

function createProvider(issuer: string, origin: string, key: Key, accounts: () => Accounts): Provider {
  const jwk = { ...key.privateKey.export({ format: "jwk" }), kid: key.kid, use: "sig", alg: "RS256" };
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${origin}/login/sso/callback`],
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ["a-key-of-the-tests"] },
    // The tests set the clock of the Worker forward.
    ttl: { IdToken: 24 * 3600 },
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...accounts()[accountId] }),
    }),
    // Nobody is asked whether the client may know the email address.
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope("openid email");
      await grant.save();
      return grant;
    },
  });
}

interface GrantContext {
  oidc: {
    client: { clientId: string };
    session: { accountId: string };
    provider: {
      Grant: new (values: object) => { addOIDCScope: (scope: string) => void; save: () => Promise<unknown> };
    };
  };
}

/** The provider's sign-in page: it takes any account. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === "POST") {
    let body = "";
    for await (const part of request) body += part;
    const accountId = new URLSearchParams(body).get("account") ?? "";
    return provider.interactionFinished(request, response, { login: { accountId } });
  }
  response.setHeader("content-type", "text/html");
  response.end(
    `<!doctype html><title>Provider</title><form method="post"><label>Account <input name="account"></label><button>Sign in</button></form>`,
  );
}
