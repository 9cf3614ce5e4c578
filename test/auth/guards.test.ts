/** The guards fail closed: a mistake in a handler never lets a response reach a caller whom the database did not confirm. */
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type CostCaller,
  type Principal,
  withCostCredential,
  withOperator,
  withToken,
} from "../../src/auth/guards.ts";
import { createToken } from "../../src/auth/secrets.ts";
import { AppError } from "../../src/errors.ts";
import type { Handler } from "../../src/http/router.ts";
import { serve } from "../../src/index.ts";
import { DEMO, env, freshDemo, NOW, ORIGIN } from "../harness.ts";
import { routes } from "../routes.ts";

beforeAll(freshDemo);
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

const PATH = "/healthz";
const route = routes.find(({ path }) => path === PATH);
const original = route?.methods.GET;
afterEach(() => void Object.assign(route?.methods ?? {}, { GET: original }));

/** Serves one request with a handler at a path of the Worker. Returns the status, and the code of a rejection. */
async function answer(handler: Handler, token: string): Promise<{ status: number; code?: string }> {
  if (!route) throw new Error("The Worker has no such route.");
  route.methods.GET = handler;
  const request = new Request(ORIGIN + PATH, { headers: { authorization: `Bearer ${token}` } });
  const response = await serve(request, env, { waitUntil: () => undefined }, () => NOW);
  return {
    status: response.status,
    ...(response.status !== 200 && { code: (await response.json<Body>()).code }),
  };
}
interface Body {
  code: string;
}

const OK = () => new Response(null);
const badInput = () => new AppError("invalid_request");
const INTERNAL = { status: 500, code: "internal_error" };

/** One guard: how it wraps a handler, a row that it accepts, rows that it rejects, and tokens with their rejections. */
interface Guard {
  name: string;
  wrap: (run: (authorize: (row: object | undefined) => void) => Promise<Response>) => Handler;
  known: string;
  accepted: object;
  rejected: (object | undefined)[];
  strangers: [token: string, rejection: { status: number; code: string }][];
}

const UNAUTHORIZED = { status: 401, code: "unauthorized" };

const GUARDS: Guard[] = [
  {
    name: "withToken",
    wrap: (run) => withToken((_, { authorize }) => run(authorize as Authorize<Principal>)),
    known: DEMO.apiToken,
    accepted: { userId: 1 },
    rejected: [undefined],
    strangers: [[createToken("api"), UNAUTHORIZED]],
  },
  {
    name: "withCostCredential",
    wrap: (run) => withCostCredential((_, { authorize }) => run(authorize as Authorize<CostCaller>)),
    known: DEMO.costToken,
    accepted: { credentialId: 1, partnerId: 1, revoked: false },
    rejected: [undefined, { credentialId: 1, partnerId: 1, revoked: true }],
    strangers: [
      [createToken("live"), UNAUTHORIZED],
      [createToken("test"), UNAUTHORIZED],
    ],
  },
];
type Authorize<Caller extends { authorize: unknown }> = Caller["authorize"] &
  ((row: object | undefined) => void);

describe.each(GUARDS)("$name", ({ wrap, known, accepted, rejected, strangers }) => {
  it("sends the response of a handler whose row it accepted", async () => {
    const handler = wrap(async (authorize) => {
      authorize(accepted);
      return OK();
    });
    expect(await answer(handler, known)).toEqual({ status: 200 });
  });

  it("checks the credential before it throws an error of the handler", async () => {
    const handler = wrap(async () => {
      throw badInput();
    });
    expect(await answer(handler, known)).toEqual({ status: 400, code: "invalid_request" });
    for (const [token, rejection] of strangers) expect(await answer(handler, token)).toEqual(rejection);
  });

  it.each(rejected)("is an error if the handler responds although the check rejected %o", async (row) => {
    const swallow = (authorize: (row: object | undefined) => void) => {
      try {
        authorize(row);
      } catch {}
    };
    const ignoring = wrap(async (authorize) => {
      swallow(authorize);
      return OK();
    });
    expect(await answer(ignoring, known)).toEqual(INTERNAL);
    const retrying = wrap(async (authorize) => {
      authorize(accepted);
      swallow(authorize);
      authorize(accepted);
      return OK();
    });
    expect(await answer(retrying, known)).toEqual(INTERNAL);
  });
});

describe.each(GUARDS)("$name", ({ wrap, known, strangers }) => {
  it("is an error if the handler responds without a check", async () => {
    const handler = wrap(async () => OK());
    for (const [token] of [[known], ...strangers]) expect(await answer(handler, token)).toEqual(INTERNAL);
  });
});

describe("withOperator", () => {
  it("checks the operator before the handler runs", async () => {
    const run = vi.fn(async () => OK());
    expect(await answer(withOperator(run), createToken("api"))).toEqual(UNAUTHORIZED);
    const forbidden = { status: 403, code: "operator_required" };
    expect(await answer(withOperator(run), DEMO.apiToken)).toEqual(forbidden);
    expect(run).not.toHaveBeenCalled();
    expect(await answer(withOperator(run), DEMO.operatorToken)).toEqual({ status: 200 });
  });
});
