/** Hostile submissions of the forms on the account pages and in the console. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Sampled, sampled } from "../faults/operations.ts";
import { restoreState, settled, startState } from "../faults/state.ts";
import { oneOf } from "../part.ts";
import { PAGE_BODIES } from "./support.ts";

beforeAll(startState);
beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await restoreState();
});

const forms = sampled.flatMap(({ form, ...one }) =>
  form === undefined || one.method === "GET" ? [] : [{ ...one, form: new URLSearchParams(form) }],
);
type Filled = (typeof forms)[number];
const each = forms.map((one): [string, Filled] => [one.name, one]);
const isConsole = ({ need }: Pick<Sampled, "need">) => need === "operator_session";

it("the sampled forms cover every page with a form", () => {
  const posts = sampled.filter(
    ({ name, method, need }) => method === "POST" && /session|public/.test(need) && !PAGE_BODIES[name],
  );
  expect(forms.map(({ name }) => name)).toEqual(posts.map(({ name }) => name));
});

/** Fields that forms do not have. */
const UNKNOWN_FIELDS = {
  id: "999",
  token: "mine00000001",
  app_token: "otherapp0001",
  partner_id: "3",
  token_hash: "0".repeat(64),
  password_hash: "x",
  hash: "x",
  supports_cost_data: "1",
  integrated_types: "1",
  state: "approved",
  round_id: "1",
  created_at: "0",
  revoked_at: "",
  link_count: "9",
  session: "x",
  actor: "1",
  __proto__: "x",
  constructor: "x",
  "role[]": "operator",
  "disabled[]": "yes",
};

describe("an unknown field", () => {
  it.each(each)("does not change what the form does: %s", async (_, { send, form, need }) => {
    const { status } = await send();
    const after = await settled();
    await restoreState();
    // The console has fields for roles and users.
    const known = new URLSearchParams(form);
    const more = {
      // Only the form for adjustments has one of them.
      ...Object.fromEntries(Object.entries(UNKNOWN_FIELDS).filter(([name]) => !known.has(name))),
      ...(need !== "operator_session" && { role: "operator", user_id: "2" }),
    };
    const body = `${form}&${new URLSearchParams(Object.entries(more))}&__proto__=y`.replace(/^&/, "");
    const statusWithMore = (await send({}, { body: body.replace("&__proto__=y", "") })).status;
    expect([statusWithMore, await settled()]).toEqual([status, after]);
  });
});

describe("a repeated field", () => {
  it.each(each)(
    "is rejected in every encoding of its name and changes nothing: %s",
    async (_, { send, form }) => {
      const before = await settled();
      const fields = [...form.keys()].filter((field) => field !== "cost_types");
      for (const [place, field] of fields.entries()) {
        const encoded = `%${field.charCodeAt(0).toString(16)}${field.slice(1)}`;
        const [other, equal] = [`${field}=x`, `${encoded}=${encodeURIComponent(form.get(field) ?? "")}`];
        const bodies = [`${form}&${other}`, `${equal}&${form}`, `${other}&${form}`, `${form}&${equal}`];
        for (const body of oneOf(bodies.length, bodies, place)) {
          const response = await send({}, { body });
          expect(response.status, field).toBe(400);
          expect(await response.text()).toContain("given more than once");
        }
      }
      expect(await settled()).toEqual(before);
    },
  );
});

describe("markup in a field", () => {
  const MARKUP = `"'><img src=x onerror=alert(1)><script>alert(1)</script>`;

  /** The fields whose forms show it again. */
  const shown: string[] = [];

  it.each(each)("is shown only as text: %s", async (name, { send, form }) => {
    for (const field of form.keys()) {
      const body = new URLSearchParams(form);
      // Where it is accepted, it is too long the second time.
      for (const markup of [MARKUP, MARKUP.padEnd(400, "x")]) {
        body.set(field, markup);
        const response = await send({}, { body: body.toString() });
        const text = await response.text();
        expect(text).not.toMatch(/<img src=x|<script>/);
        expect(response.status).toBeLessThan(500);
        if (text.includes("&lt;img src=x")) shown.push(`${name} ${field}`);
        if (response.status >= 400) break;
      }
    }
  });

  it("is shown where a form has free text, and in its errors", () => {
    expect(shown).toEqual(
      expect.arrayContaining([
        "POST /login email",
        "POST /apps/:app_token/links/new network",
        "POST /apps/:app_token/links/new campaign",
        "POST /apps/:app_token/links/:link_token/settings/name name",
        "POST /operator/adjustments/new amount",
        "POST /operator/apps/:token name",
        "POST /operator/apps/:token/members email",
        "POST /operator/partners/:id display_name",
        "POST /operator/partners/:id/voids cost_id",
        "POST /operator/rounds/:id/link name",
        "POST /operator/users/new email",
      ]),
    );
  });

  const ENDS = ["\0", "\r\nset-cookie: a=b", "\u001b[2J", "\u0085", "\u2028"];
  const ended = forms
    .filter(isConsole)
    .flatMap(({ name, send, form }) => [...form.keys()].map((field) => ({ name, send, form, field })));

  it.each(ENDS.map((end, index) => [end, index] as const))(
    "with %j in it never becomes a header or truncated text",
    async (end, index) => {
      const before = await settled();
      for (const { send, form, field } of oneOf(ENDS.length, ended, index)) {
        const body = new URLSearchParams(form);
        body.set(field, `${form.get(field)}${end}bad`);
        const response = await send({}, { body: body.toString() });
        expect(response.headers.get("set-cookie")).toBeNull();
        expect(response.headers.get("location") ?? "").toMatch(/^[\x21-\x7e]*$/);
        const after = await settled();
        if (response.status >= 400) expect(after).toEqual(before);
        else {
          for (const row of Object.values(after).flat()) expect(row).not.toMatch(/\p{Cc}|\\u00|\\[bfnrt]/u);
          await restoreState();
        }
      }
    },
  );
});
