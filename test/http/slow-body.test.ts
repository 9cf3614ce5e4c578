/** A body that is slow, endless or cut off, on every operation that reads a body. */
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { LINKS } from "../campaign/support.ts";
import { ask, type Call, call, DEMO, freshDemo, type ProblemBody, rejection, rows } from "../harness.ts";
import { oneOf } from "../part.ts";
import { everyOperation, everything, PAGE_BODIES, sessionFor, startSessions } from "../security/support.ts";

beforeAll(async () => {
  await freshDemo();
  await startSessions();
});

afterEach(() => void vi.useRealTimers());

const FORM = "application/x-www-form-urlencoded";
const TOKENS: Partial<Record<string, string>> = {
  api_token: DEMO.apiToken,
  operator_token: DEMO.operatorToken,
  cost_credential: DEMO.costToken,
};

/** A call with valid credentials and this body. */
function validCall({ method, need, pattern }: (typeof everyOperation)[number], body: BodyInit): Call {
  const isForm = TOKENS[need] === undefined || pattern === "/cost";
  const pageBody = PAGE_BODIES[`${method} ${pattern}`];
  return {
    method,
    body,
    token: TOKENS[need],
    headers: {
      "content-type": pageBody ?? (isForm ? FORM : "application/json"),
      cookie: sessionFor(need),
    },
  };
}

/** Operations without a body, with their statuses for an unknown or invalid ID. They never read a body. */
const BODILESS: Record<string, number> = {
  "POST /logout": 303,
  "POST /partner/sign-out": 303,
  "POST /partner/costs/:cost_id/void": 404,
  "DELETE /operator/v1/apps/:token/members/:user_id": 404,
  "POST /cost/:cost_id/void": 404,
  "POST /operator/v1/credentials/:id/revoke": 404,
  "DELETE /operator/v1/rounds/:id/dismissals": 400,
  "POST /operator/v1/rounds/:id/close": 404,
  "DELETE /operator/v1/alert-rules/:id": 404,
  "DELETE /operator/v1/webhooks/:id": 404,
  "POST /operator/v1/webhooks/:id/secret": 404,
  "POST /operator/v1/webhooks/:id/on": 404,
  "POST /operator/v1/webhooks/:id/test": 404,
  "POST /operator/v1/webhooks/:id/deliveries/:delivery_id": 404,
};
const reading = everyOperation
  .filter(({ method, name }) => method !== "GET" && BODILESS[name] === undefined)
  .map((one): [string, typeof one] => [one.name, one]);

/** With or without the length of a body that is longer than what arrives. */
const LENGTHS: Record<string, string>[] = [{}, { "content-length": "50" }];

const encode = (text: string) => new TextEncoder().encode(text);

/** A body that sends its pieces and then ends, never ends or fails. */
function bodyOf(pieces: Iterable<string>, end: "ends" | "never ends" | "fails") {
  const remaining = pieces[Symbol.iterator]();
  const seen = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = remaining.next();
      if (!done) {
        seen.pulled++;
        controller.enqueue(encode(value));
      } else if (end === "ends") controller.close();
      else if (end === "fails") controller.error(new Error("Network connection lost."));
      else return new Promise(() => undefined);
      return undefined;
    },
    cancel() {
      seen.cancelled = true;
    },
  });
  return { body, seen };
}

function* forever(piece: string) {
  for (;;) yield piece;
}

/**
 * Sends a body that begins with a text and never ends, with fake timers. Returns the response, and checks that it comes after
 * this time. `timers` is the number of timers while only the body is awaited.
 */
async function respondAfter(
  milliseconds: number,
  path: string,
  begin: string,
  options: (body: BodyInit) => Call,
  timers = 1,
): Promise<Response> {
  const { body, seen } = bodyOf([begin], "never ends");
  const response = call(path, options(body));
  do await scheduler.wait(1);
  while (seen.pulled === 0 || vi.getTimerCount() !== timers);
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(vi.getTimerCount()).toBe(timers);
  await vi.advanceTimersByTimeAsync(1);
  expect(vi.getTimerCount()).toBe(0);
  return response;
}

describe("a body that never ends", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));

  it.each(oneOf(4, reading, 0))("gets 408 after thirty seconds and changes nothing: %s", async (_, one) => {
    // Of a cost, it is counted as rejected.
    const changed = async () => ({ ...(await everything()), daily_rejections: [], recent_rejections: [] });
    const before = await changed();
    for (const headers of oneOf(2, LENGTHS, one.name.length)) {
      const response = await respondAfter(30_000, one.path, "{", (body) => {
        const options = validCall(one, body);
        return { ...options, headers: { ...options.headers, ...headers } };
      });
      expect(response.status).toBe(408);
      expect(response.headers.get("connection")).toBeNull();
      expect(((await response.json()) as ProblemBody).code).toBe("request_timeout");
    }
    expect(await everything()).toEqual(before);
  });

  it("is reported to a browser as a page", async () => {
    const headers = { "content-type": FORM, accept: "text/html" };
    const response = await respondAfter(30_000, "/login", "email=", (body) => ({
      method: "POST",
      body,
      headers,
    }));
    expect(response.status).toBe(408);
    expect(await response.text()).toContain("The body did not arrive in time");
  });

  it("gets 401 without a valid token, which does not wait for it", async () => {
    const token = DEMO.apiToken.replace("DemoUser", "demoUser");
    const headers = { "content-type": "application/json" };
    const { body } = bodyOf(["{"], "never ends");
    const { status } = await call(LINKS, { method: "POST", token, headers, body });
    expect(status).toBe(401);
  });

  it("with one byte a second is read only if it is complete within thirty seconds", async () => {
    for (const [bytes, status] of [
      [28, 201],
      [32, 408],
    ] as const) {
      const text = `{"name":"drip"}`.padEnd(bytes, " ");
      const { body } = bodyOf(text, "ends");
      let left = bytes;
      let isDone = false;
      const drip = new TransformStream<Uint8Array, Uint8Array>({
        transform: async (chunk, controller) => {
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          left--;
          controller.enqueue(chunk);
        },
      });
      const headers = { "content-type": "application/json" };
      const sent = call(LINKS, {
        method: "POST",
        token: DEMO.apiToken,
        headers,
        body: body.pipeThrough(drip),
      }).finally(() => {
        isDone = true;
      });
      for (let second = 0; second < Math.min(bytes, 30); second++) {
        // Until nothing but the next byte and the deadline of the body are awaited.
        do await scheduler.wait(1);
        while (!isDone && vi.getTimerCount() !== 2);
        await vi.advanceTimersByTimeAsync(1_000);
      }
      expect([(await sent).status, left]).toEqual([status, Math.max(0, bytes - 30)]);
    }
    expect(await rows("SELECT 1 FROM links WHERE label = 'drip'")).toHaveLength(1);
  });
});

describe("a body that is cut off", () => {
  it.each(oneOf(4, reading, 1))("gets 400 and changes nothing: %s", async (_, one) => {
    // Of a cost, it is counted as rejected.
    const changed = async () => ({ ...(await everything()), daily_rejections: [], recent_rejections: [] });
    const before = await changed();
    for (const headers of oneOf(2, LENGTHS, one.name.length)) {
      const options = validCall(one, bodyOf(["{"], "fails").body);
      const { status, body } = await ask<ProblemBody>(one.path, {
        ...options,
        headers: { ...options.headers, accept: "application/json", ...headers },
      });
      expect(status).toBe(400);
      // JSON-RPC has errors of its own.
      if (one.pattern === "/mcp") expect(body).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 } });
      else
        expect(body).toMatchObject({
          code: "invalid_request",
          errors: [{ param: "body", message: "did not arrive completely; resend the request" }],
        });
    }
    expect(await changed()).toEqual(before);
  });
});

/** In KiB, where it is not 64. */
const LIMITS: [pattern: string, limit: number][] = [
  ["/cost/batch", 1024],
  ["/partner/upload", 1280],
  ["/apps/:app_token/links/import", 1280],
];

describe("an endless body that exceeds its limit", () => {
  const PIECE = 8 * 1024;

  it.each(reading)("gets 413 and is not read further: %s", async (_, one) => {
    const limit = LIMITS.find(([pattern]) => one.pattern.startsWith(pattern))?.[1] ?? 64;
    const { body, seen } = bodyOf(forever("x".repeat(PIECE)), "never ends");
    const options = validCall(one, body);
    const result = await rejection(one.path, {
      ...options,
      headers: { ...options.headers, accept: "application/json" },
    });
    expect(result).toEqual({ status: 413, code: "payload_too_large", params: [] });
    expect(seen.pulled).toBe((limit * 1024) / PIECE + 1);
    expect(seen.cancelled).toBe(true);
  });

  it("is not read at all if Content-Length exceeds 16 MiB", async () => {
    const { body, seen } = bodyOf(forever("x"), "never ends");
    const headers = { "content-type": "application/json", "content-length": String(16 * 1024 * 1024 + 1) };
    const result = await rejection(LINKS, { method: "POST", token: DEMO.apiToken, headers, body });
    expect(result.status).toBe(413);
    expect(seen.pulled).toBe(1);
    expect(seen.cancelled).toBe(true);
  });

  it("is dropped for at most 16 MiB if Content-Length exceeds the limit", async () => {
    const { body, seen } = bodyOf(forever("x".repeat(1024 * 1024)), "never ends");
    const headers = { "content-type": "application/json", "content-length": "65537" };
    const result = await rejection(LINKS, { method: "POST", token: DEMO.apiToken, headers, body });
    expect(result.status).toBe(413);
    expect(seen.pulled).toBe(17);
    expect(seen.cancelled).toBe(true);
  });

  it("gets 413 after two seconds if Content-Length exceeds the limit and nothing arrives", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const headers = { "content-type": "application/json", "content-length": "65537" };
    const token = DEMO.apiToken;
    const options = (body: BodyInit) => ({ method: "POST", token, headers, body });
    // Beside the two seconds there are the thirty of every body.
    expect((await respondAfter(2_000, LINKS, "{", options, 2)).status).toBe(413);
  });

  it.each(["many", "-1", "1e3", "", "0x10", "5, 5"])(
    "is limited by its size if Content-Length is not a number: %j",
    async (length) => {
      const { body, seen } = bodyOf(forever("x".repeat(1024)), "never ends");
      const headers = { "content-type": "application/json", "content-length": length };
      const result = await rejection(LINKS, { method: "POST", token: DEMO.apiToken, headers, body });
      expect(result.status).toBe(413);
      expect(seen.pulled).toBe(65);
    },
  );
});

it("an operation without a body does not wait for one", async () => {
  for (const [name, expected] of Object.entries(BODILESS)) {
    const one = everyOperation.find((operation) => operation.name === name);
    if (!one) throw new Error(`there is no ${name}`);
    const path = one.path.replace(/\b1$|\/1\//, (id) => id.replace("1", "999999"));
    const { status } = await call(path, validCall(one, bodyOf(["{"], "never ends").body));
    expect(status, name).toBe(expected);
  }
});
