/** The entries of the audit log about links that the campaign API creates and updates. */
import { beforeEach, describe, expect, it } from "vitest";
import { call, DEMO, env, freshDemo, NOW, rows } from "../harness.ts";
import { asUser, createLink, LINKS, patchLink, rejected } from "./support.ts";

beforeEach(freshDemo);

/** The entries about links, oldest first. */
async function entries() {
  const found = await rows<{ user_id: number; action: string; subject: string; detail: string }>(
    "SELECT happened_at, user_id, action, subject, detail FROM audit_log WHERE subject LIKE 'link %' ORDER BY id",
  );
  return found.map(({ detail, ...entry }) => ({ ...entry, detail: JSON.parse(detail) }));
}
const details = async () => (await entries()).map(({ detail }) => detail);
const update = (token: string, json: object) => rejected(`${LINKS}/${token}`, { method: "PATCH", json });

describe("a new link", () => {
  it("has an entry with its name, app and parent", async () => {
    const { token } = await createLink("Summer");
    const below = await createLink("Beach", token);
    const entry = { happened_at: NOW, user_id: 1, action: "create link" };
    expect(await entries()).toEqual([
      { ...entry, subject: `link ${token}`, detail: { name: "Summer", app_token: DEMO.appToken } },
      {
        ...entry,
        subject: `link ${below.token}`,
        detail: { name: "Beach", app_token: DEMO.appToken, parent_token: token },
      },
    ]);
  });

  it("has an entry each in a bulk request, and a rejected one has none", async () => {
    const links = [{ name: "One" }, { name: "Two", parent_token: "nosuchlink" }, { name: "Three" }];
    await asUser(`${LINKS}/bulk`, { json: { links } });
    expect((await details()).map(({ name }) => name)).toEqual(["One", "Three"]);
  });

  it("has one entry if the request is repeated with its Idempotency-Key", async () => {
    const headers = { "idempotency-key": "once" };
    for (const _ of [1, 2]) await call(LINKS, { token: DEMO.apiToken, json: { name: "Once" }, headers });
    expect((await details()).map(({ name }) => name)).toEqual(["Once"]);
  });
});

describe("an update", () => {
  it("has an entry with the old and the new value of each field that differs", async () => {
    await patchLink("demo1nk008", { name: "Letter", archived: true });
    await patchLink("demo1nk008", { partner_id: 1, cost_data_enabled: true, archived: true });
    expect(await entries()).toEqual([
      {
        happened_at: NOW,
        user_id: 1,
        action: "update link",
        subject: "link demo1nk008",
        detail: { name: { from: "Newsletter", to: "Letter" }, archived: { from: false, to: true } },
      },
      expect.objectContaining({
        detail: { partner_id: { from: null, to: 1 }, cost_data_enabled: { from: null, to: true } },
      }),
    ]);
  });

  it("has what follows from it: detaching switches cost data off", async () => {
    await patchLink(DEMO.linkToken, { partner_id: null });
    expect(await details()).toEqual([
      { partner_id: { from: 1, to: null }, cost_data_enabled: { from: true, to: false } },
    ]);
  });

  it("has what follows from a partner without cost data", async () => {
    await patchLink(DEMO.linkToken, { partner_id: 2 });
    expect(await details()).toEqual([
      { partner_id: { from: 1, to: 2 }, cost_data_enabled: { from: true, to: false } },
    ]);
  });

  it("that changes nothing has none, and writes nothing", async () => {
    const before = await rows("SELECT * FROM links");
    await patchLink(DEMO.linkToken, { partner_id: 1, cost_data_enabled: true, archived: false });
    expect(await entries()).toEqual([]);
    expect(await rows("SELECT * FROM links")).toEqual(before);
  });

  it.each<[string, number, string, object]>([
    ["an unknown partner", 400, "demo1nk008", { partner_id: 99, name: "x" }],
    ["no partner that supports cost data", 400, "demo1nk008", { cost_data_enabled: true, name: "x" }],
    ["an unknown link", 404, "nosuchlink", { name: "x" }],
    ["a link of another app", 404, "demo1nk009", { name: "x" }],
  ])("that is rejected has none: %s", async (_, status, token, json) => {
    expect((await update(token, json)).status).toBe(status);
    expect(await entries()).toEqual([]);
  });

  it("of two at the same time has entries that follow each other", async () => {
    await Promise.all([patchLink("demo1nk008", { name: "One" }), patchLink("demo1nk008", { name: "Two" })]);
    const names = (await details()).map(({ name }) => name);
    expect(names).toHaveLength(2);
    expect(names[0].from).toBe("Newsletter");
    expect(names[1].from).toBe(names[0].to);
    const [link] = await rows<{ label: string }>("SELECT label FROM links WHERE token = 'demo1nk008'");
    expect(link?.label).toBe(names[1].to);
  });

  it("changes no link if its entry cannot be written", async () => {
    await env.DB.exec(
      "CREATE TRIGGER no_entry BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    const before = await rows("SELECT * FROM links");
    expect((await update("demo1nk008", { name: "x" })).status).toBe(500);
    expect(await rows("SELECT * FROM links")).toEqual(before);
  });
});
