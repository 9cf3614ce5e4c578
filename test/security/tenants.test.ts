/** Reads and writes of what belongs to another tenant: app, link, cost, round, cursor and idempotency key. */
import { beforeEach, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { sha256 } from "../../src/domain/hash.ts";
import { asUser, LINKS, LINKS_V2, only, type PagingV1 } from "../campaign/support.ts";
import { ask, type Call, call, click, DEMO, env, freshDemo, rejection, rows, sendCost } from "../harness.ts";
import { everything } from "./support.ts";

const OTHER = LINKS.replace(DEMO.appToken, DEMO.otherAppToken);
const OTHERS_LINK = "demo1nk009";
const RIVAL = createToken("live", "Rival".padEnd(43, "0"));
const RIVAL_TEST = createToken("test", "Rival".padEnd(43, "0"));

beforeEach(async () => {
  await freshDemo();
  await env.DB.batch([
    env.DB.prepare("UPDATE partners SET supports_cost_data = 1 WHERE id = 3"),
    env.DB.prepare(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at) VALUES (?, 3, 'live', 11, '', 0)",
    ).bind(hashToken(RIVAL, ["live"])),
  ]);
  // The first use of a token on a day writes.
  await call(LINKS, { token: DEMO.apiToken });
});

const NOT_FOUND = { status: 404, code: "not_found" };

it.each<[string, string, Call]>([
  ["read a link through its own app", `${LINKS}/${OTHERS_LINK}`, {}],
  ["list its sub-links", `${LINKS}/${OTHERS_LINK}/children`, {}],
  ["list its sub-links, version 2", `${LINKS_V2}/${OTHERS_LINK}/children`, {}],
  ["change a link", `${LINKS}/${OTHERS_LINK}`, { method: "PATCH", json: { name: "mine" } }],
  ["archive a link", `${LINKS}/${OTHERS_LINK}`, { method: "PATCH", json: { archived: true } }],
  ["create below a link", LINKS, { json: { name: "mine", parent_token: OTHERS_LINK } }],
  ["read its own link through the other app", `${OTHER}/${DEMO.linkToken}`, {}],
  ["create in the other app", OTHER, { json: { name: "mine" } }],
  [
    "create in the other app below its own link",
    OTHER,
    { json: { name: "x", parent_token: DEMO.linkToken } },
  ],
])("a member without access to the other app cannot %s", async (_, path, options) => {
  const before = await everything();
  expect(await rejection(path, { token: DEMO.apiToken, ...options })).toMatchObject(NOT_FOUND);
  expect(await everything()).toEqual(before);
});

it("a link of another app is rejected as a parent in a bulk request, and the other links are created", async () => {
  const links = [{ name: "a" }, { name: "b", parent_token: OTHERS_LINK }];
  const { body } = await ask<{ data: { items: { status: number }[] } }>(`${LINKS}/bulk`, {
    token: DEMO.apiToken,
    json: { links },
  });
  expect(body.data.items.map(({ status }) => status)).toEqual([201, 404]);
  expect(await rows("SELECT 1 FROM links WHERE parent_id = 9 OR label = 'b'")).toEqual([]);
});

it("the spend of another app is not shown for any group", async () => {
  for (const groups of ["day", "link", "partner,cost_type"]) {
    const path = `/public/v1/apps/${DEMO.otherAppToken}/spend?from=2026-03-01&to=2026-03-31&group_by=${groups}`;
    expect(await rejection(path, { token: DEMO.apiToken })).toMatchObject(NOT_FOUND);
  }
});

it("a cursor is valid only for its own list", async () => {
  const cursorOf = async (path: string, token: string): Promise<string> => {
    const { body } = await ask<{ data: { paging: PagingV1 } }>(`${path}?limit=1`, { token });
    return body.data.paging.cursors.after ?? "";
  };
  await ask(OTHER, { token: DEMO.operatorToken, json: { name: "second" } });
  const cursors = [
    await cursorOf(OTHER, DEMO.operatorToken),
    await cursorOf("/operator/v1/users", DEMO.operatorToken),
    await cursorOf("/public/v1/partners", DEMO.operatorToken),
    await cursorOf(`${LINKS}/demo1nk003/children`, DEMO.apiToken),
  ];
  for (const [index, cursor] of cursors.entries()) {
    expect(cursor).toMatch(/^[\w-]{8,}$/);
    for (const param of ["after", "before", "cursor"]) {
      expect((await rejection(`${LINKS}?${param}=${cursor}`, { token: DEMO.apiToken })).params).toEqual([
        param,
      ]);
      const foreign = await rejection(`${OTHER}?${param}=${cursor}`, { token: DEMO.apiToken });
      // The first cursor is from this list.
      expect(foreign.status).toBe(index === 0 ? 404 : 400);
    }
  }
});

it("an idempotency key neither returns another user's response nor blocks another user", async () => {
  const headers = { "idempotency-key": "shared-key-0001" };
  const first = only(await asUser(LINKS, { json: { name: "secret plan" }, headers }));
  const second = only(
    await asUser(LINKS, { json: { name: "secret plan" }, headers, token: DEMO.operatorToken }),
  );
  expect(second.token).not.toBe(first.token);
  const third = await asUser(LINKS, { json: { name: "other" }, headers, token: DEMO.operatorToken });
  expect(third.status).toBe(422);
  expect(JSON.stringify(third.body)).not.toContain("secret plan");
});

it("a partner reads, changes, completes and matches nothing of another partner", async () => {
  const cost_id = "demo-click-recent-0001";
  const own = await sendCost({ cost_id, cost_amount: "0.5" });
  expect(own.body).toMatchObject({ match: "matched", duplicate: false });
  expect(await rejection(`/cost/${cost_id}`, { token: RIVAL })).toMatchObject(NOT_FOUND);
  const before = await rows("SELECT * FROM cost_states WHERE partner_id = 1 ORDER BY cost_id");
  // Never a conflict, which would reveal that the other partner has this ID.
  const rival = await sendCost({ cost_id, cost_amount: "9", cost_currency: "EUR" }, { token: RIVAL });
  expect(rival.body).toMatchObject({ status: "ok", match: "pending", duplicate: false, amount: "9" });
  expect(await rows("SELECT * FROM cost_states WHERE partner_id = 1 ORDER BY cost_id")).toEqual(before);
  await click(cost_id);
  expect(await rows("SELECT state, app_token FROM cost_states WHERE partner_id = 3")).toEqual([
    { state: "pending", app_token: "" },
  ]);
});

it("a test credential shows only the round of its own partner", async () => {
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO rounds (id, partner_id, cost_types, state, opened_at) VALUES (90, 1, 1, 'open', 0)",
    ),
    env.DB.prepare(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, round_id, hint, created_at) VALUES (?, 1, 'test', 1, 90, '', 0)",
    ).bind(hashToken(RIVAL_TEST, ["test"])),
  ]);
  const round = await ask<{ id: number; partner: string }>("/cost/round", { token: RIVAL_TEST });
  expect(round.body).toMatchObject({ id: 90, partner: "Acme Ads" });
  expect(JSON.stringify(round.body)).not.toContain("corsair");
  const entries = await rows("SELECT * FROM round_entries");
  const path = `/cost?cost_type=cpc&cost_currency=USD&cost_id=rival-in-round-1&tag=t&round=1&round_id=1&partner_id=3`;
  const sent = await ask<{ round: number }>(path, { token: RIVAL_TEST, method: "POST" });
  expect(sent.body.round).toBe(90);
  expect(await rows("SELECT * FROM round_entries WHERE round_id <> 90")).toEqual(entries);
});

it("a token's hash, hint and user ID are rejected as tokens", async () => {
  const hash = sha256(DEMO.apiToken);
  for (const token of [hash, `ll_api_${hash}`, "1", "ll_api_…", DEMO.apiToken.slice(0, -6)]) {
    const authorization = `Bearer ${encodeURI(token)}`;
    expect((await call(LINKS, { headers: { authorization } })).status).toBe(401);
  }
});
