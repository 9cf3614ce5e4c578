/** The routes of Workers, and what a deployed one answers. */
import { randomUUID } from "node:crypto";
import { type Account, type Binding, route } from "./account.ts";

const SCRIPT = "\\/workers\\/scripts\\/([^/]+)";
const script = (method: string, rest: string) => new RegExp(`^${method} ${SCRIPT}${rest}$`);

export const workerRoutes = [
  route(/^GET \/workers\/services\/([^/]+)$/, ({ account, id }) => {
    account.worker(id);
    const script = { tag: "tag", tags: [], last_deployed_from: "wrangler" };
    return { id, default_environment: { environment: "production", script } };
  }),
  route(/^DELETE \/workers\/services\/([^/]+)$/, ({ account, id }) => {
    account.workers.delete(id);
    return null;
  }),
  route(/^GET \/workers\/workers\/([^/]+)$/, ({ id }) => ({
    ...{ id, name: id, url: null, subdomain: { enabled: true, previews_enabled: false } },
  })),
  route(script("GET", "/settings"), ({ account, id }) => ({ bindings: account.worker(id).bindings })),
  route(script("GET", "/secrets"), ({ account, id }) => {
    account.worker(id);
    return [];
  }),
  route<{ name: string }>(script("PUT", "/secrets"), ({ body: { name } }) => ({ name, type: "secret_text" })),
  route(/script-settings$/, () => ({})),
  route(script("(?:PUT|POST)", "(?:\\/versions)?"), ({ account, id, raw }) =>
    createVersion(account, id, raw),
  ),
  route(script("GET", "/versions"), ({ account, id }) => ({
    items: account.worker(id).versions.map(describeVersion),
  })),
  route(/^GET \/workers\/scripts\/[^/]+\/versions\/([^/]+)$/, ({ id }) => ({
    ...describeVersion(id),
    resources: { bindings: [], script: {}, script_runtime: {} },
  })),
  route(script("GET", "/deployments"), ({ account, id }) => ({
    deployments: account.worker(id).versions.map((version) => ({
      ...{ id: `deployment-${version}`, created_on: CREATED, author_email: "ops@example.com" },
      ...{ source: "wrangler", strategy: "percentage", annotations: {} },
      versions: [{ version_id: version, percentage: 100 }],
    })),
  })),
  route<{ versions: [{ version_id: string }] }>(script("POST", "/deployments"), ({ account, id, body }) => {
    const { versions } = account.worker(id);
    const [{ version_id }] = body.versions;
    versions.splice(versions.indexOf(version_id), 1);
    versions.unshift(version_id);
    return { id: "deployment" };
  }),
  route<{ cron: string }[]>(script("PUT", "/schedules"), ({ account, id, body }) => {
    account.worker(id).crons = body.map(({ cron }) => cron);
    return {};
  }),
  route(/^GET \/workers\/subdomain$/, () => ({ subdomain: "stub" })),
  route(/^GET .*\/subdomain$/, () => ({ enabled: true, previews_enabled: false })),
  route<{ enabled: boolean }>(/^POST .*\/subdomain$/, ({ body: { enabled } }) => ({
    ...{ enabled, previews_enabled: false },
  })),
  route(/\/(?:domains|routes|zones)/, () => []),
];

const CREATED = "2026-11-26T12:00:00Z";
const describeVersion = (id: string, index = 0) => ({
  ...{ id, number: 10 - index, annotations: {} },
  metadata: { created_on: CREATED, author_email: "ops@example.com", source: "wrangler" },
});

/** A new version of a Worker. Bindings that it inherits are those of the version before. */
function createVersion({ workers }: Account, name: string, raw: Buffer): object {
  const [, metadata = "{}"] =
    /name="metadata"\r\n(?:.*\r\n)*?\r\n(.*?)\r\n--/.exec(raw.toString("latin1")) ?? [];
  const before = workers.get(name);
  const sent: (Binding & { namespace_id?: string; database_id?: string })[] =
    JSON.parse(metadata).bindings ?? [];
  const bindings = sent.map(({ type, name, text, ...ids }): Binding => {
    const inherited = before?.bindings.find((other) => other.name === name);
    if (type === "inherit" && inherited) return inherited;
    const id = ids.id ?? ids.database_id ?? ids.namespace_id;
    return { type, name, ...(id && { id }), ...(text !== undefined && { text }) };
  });
  const id = randomUUID();
  workers.set(name, { bindings, versions: [id, ...(before?.versions ?? [])], crons: before?.crons ?? [] });
  const resources = { script: { etag: "etag" } };
  return { id, etag: "etag", deployment_id: id, startup_time_ms: 12, resources };
}

/**
 * What a deployed Worker answers to `npm run deploy`: ready if each of its databases has these migrations and is in its place. The
 * tests of the readiness of the real one are in test/site.
 */
export function answerAsWorker(
  account: Account,
  name: string,
  path: string,
  deployment: string | null,
  migrations: string[],
): object {
  const worker = account.worker(name);
  if (path === "healthz") return { runs_deployment: deployment === worker.versions[0] };
  const databases = worker.bindings.filter(({ type }) => type === "d1");
  const reasons = databases.flatMap(({ name, id = "" }) => {
    try {
      const { sqlite } = account.database(id);
      const applied = sqlite.prepare("SELECT name FROM d1_migrations").all();
      const missing = migrations.filter((one) => !applied.some((row) => row.name === one));
      if (missing.length > 0) return [`${name} lacks ${missing.join(", ")}`];
      const place = sqlite.prepare("SELECT shards, shard_index FROM shard_identity").get();
      const index = /^LEDGER_(\d+)$/.exec(name)?.[1];
      const fits =
        place?.shards === databases.length - 1 &&
        place.shard_index === (index === undefined ? null : Number(index));
      return fits ? [] : [`${name} is in another place`];
    } catch (error) {
      return [`${name}: ${error}`];
    }
  });
  if (reasons.length === 0) return { status: "ready", checks: {} };
  return { status: "not ready", checks: { database: { ok: false, reason: reasons.join("; ") } } };
}
