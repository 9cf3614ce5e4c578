/** A real receiver of webhooks, and the API and the crons of the built Worker, for tests of the events that it sends. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { DEMO } from "../src/dev/demo.ts";
import type { BuiltWorker } from "./built-worker.ts";
import { freePort } from "./live-service.ts";

export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** The settings of a Worker that sends to the receiver. */
export const BINDINGS = {
  WEBHOOK_KEY: "a-key-of-at-least-32-characters-x",
  ...{ LOCAL_INSECURE: "1", ORIGIN: "http://127.0.0.1:8787", OPERATOR_MFA: "optional" },
};

/** What it does with an event, by its path. */
const BEHAVIORS: Record<string, (response: ServerResponse, request: IncomingMessage) => void> = {
  "/ok": (response) => response.writeHead(204).end(),
  "/fine": (response) => response.writeHead(200).end("fine"),
  "/error": (response) => response.writeHead(500).end("broken"),
  "/moved": (response, { headers }) =>
    response.writeHead(302, { location: `http://${headers.host}/ok` }).end(),
  "/gone": (response) => response.writeHead(410).end(),
  "/reset": (_, request) => request.socket.destroy(),
  "/large": (response) => response.writeHead(200).end("x".repeat(10_000_000)),
  "/endless": (response) => {
    response.writeHead(200);
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(100_000)));
    };
    response.on("drain", write);
    write();
  },
  "/slow": (response) => setTimeout(() => response.writeHead(200).end(), 5_500),
  "/silent": () => undefined,
};

const behave = ({ path }: Received, response: ServerResponse, request: IncomingMessage) =>
  BEHAVIORS[path]?.(response, request);

/** Adds what it receives to `received`, and answers by the path, unless `answer` does. */
export async function startReceiver(received: Received[], answer: typeof behave = behave) {
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    // The sender was killed.
    if (body === undefined) return;
    const headers = request.headers as Record<string, string>;
    const event = { path: request.url ?? "", headers, body };
    received.push(event);
    answer(event, response, request);
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    base: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Throws if the event is not signed with the secret. */
export const verify = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers);

export async function api<Item = { id: number; secret: string }>(
  { url }: BuiltWorker,
  path: string,
  method = "POST",
  json?: object,
) {
  const response = await fetch(`${url}/operator/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${DEMO.operatorToken}`, "content-type": "application/json" },
    ...(json && { body: JSON.stringify(json) }),
  });
  const body = (await response.json()) as { data: { items: Item[] }; errors?: { message: string }[] };
  return { status: response.status, items: body.data?.items ?? [], errors: body.errors };
}

/** Creates a webhook. */
export async function create(built: BuiltWorker, url: string, app_token?: string) {
  const { status, items } = await api(built, "webhooks", "POST", { url, ...(app_token && { app_token }) });
  if (!items[0]) throw new Error(`Status ${status} instead of a webhook`);
  return items[0];
}

/** Runs a cron: that of each minute, unless there is another. */
export async function run({ miniflare }: BuiltWorker, cron = "* * * * *", at = Date.now()) {
  const worker = await miniflare.getWorker();
  const { outcome } = await worker.scheduled({ cron, scheduledTime: new Date(at) });
  return outcome;
}
