/** The built Worker with single sign-on by a real provider, and users of it. */
import type { BuiltWorker, Settings } from "../built-worker.ts";
import type { Behavior } from "../faulty-worker.ts";
import { freePort } from "../live-service.ts";
import { CLIENT, startProvider, type TestProvider } from "./provider.ts";

export const USERS = {
  ana: { id: 101, email: "ana@example.com", role: "member" },
  ben: { id: 102, email: "ben@example.com", role: "member" },
  olga: { id: 103, email: "olga@example.com", role: "operator" },
} as const;

export interface SingleSignOnWorker {
  origin: string;
  provider: TestProvider;
  db: D1Database;
  /** Sets the clock of the Worker forward, in milliseconds. */
  setClock: (ahead: number) => Promise<void>;
  stop: () => Promise<void>;
}

/** `start` starts the built Worker, on databases that `setClock` reaches. */
export async function startWithProvider(
  start: (settings: Pick<Settings, "name" | "port" | "bindings">) => Promise<BuiltWorker>,
): Promise<SingleSignOnWorker> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const provider = await startProvider(origin);
  const { stop, db } = await start({
    name: "worker",
    port,
    bindings: {
      ORIGIN: origin,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: "Example login",
      LOCAL_INSECURE: "1",
    },
  });
  return {
    origin,
    provider,
    db,
    async setClock(ahead) {
      await fetch(`${origin}/test/database`, {
        method: "PATCH",
        body: JSON.stringify({ ahead } satisfies Partial<Behavior>),
      });
    },
    async stop() {
      await Promise.all([stop(), provider.stop()]);
    },
  };
}

/** Removes what tests have changed, and creates the users again. */
export async function resetUsers({ db, provider }: SingleSignOnWorker): Promise<void> {
  provider.accounts = {
    "ana-at-provider": { email: "ana@example.com", email_verified: true },
    "ben-at-provider": { email: "ben@example.com", email_verified: true },
    "olga-at-provider": { email: "olga@example.com", email_verified: true },
  };
  provider.changeToken = undefined;
  provider.changeMetadata = undefined;
  provider.isDown = false;
  const ids = Object.values(USERS).map(({ id }) => id);
  await db.batch([
    ...["identities", "sign_in_attempts", "used_states", "sessions"].map((name) =>
      db.prepare(`DELETE FROM ${name}`),
    ),
    db.prepare(`DELETE FROM memberships WHERE user_id IN (${ids})`),
    db.prepare(`DELETE FROM api_tokens WHERE user_id IN (${ids})`),
    db.prepare(`DELETE FROM failed_sign_ins WHERE user_id IN (${ids})`),
    ...Object.values(USERS).map(({ id, email, role }) =>
      db
        .prepare(
          `INSERT INTO users (id, email, role, created_at) VALUES (?, ?, ?, 0)
          ON CONFLICT (id) DO UPDATE SET email = excluded.email, role = excluded.role, password_hash = NULL, disabled_at = NULL`,
        )
        .bind(id, email, role),
    ),
  ]);
}
