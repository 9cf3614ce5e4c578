import { beforeEach, describe, expect, test } from "vitest";
import { ask, call, DEMO, freshDemo, IPHONE, rejection, rows, sendCost } from "../harness.ts";

const token = DEMO.operatorToken;
const partners = "/operator/v1/partners";
const credentials = "/operator/v1/credentials";

interface Items<T> {
  data: { items: T[]; paging: { total: string } };
}
interface Credential {
  id: number;
  hint: string;
  cost_types: string[];
  round_id: number | null;
  credential: string;
}

beforeEach(freshDemo);

describe("partners", () => {
  test("are listed with the integration state of each cost type", async () => {
    const { body } = await ask<Items<{ cost_types: object; open_rounds: number[] }>>(partners, { token });
    const all = (state: string) => ({ cpc: state, cpi: state, cpe: state, cpm: state });
    expect(body.data.items.map((partner) => partner.cost_types)).toEqual([
      all("integrated"),
      all("none"),
      all("in_round"),
      all("integrated"),
      all("integrated"),
    ]);
    expect(body.data.items[2]?.open_rounds).toEqual([1]);
  });

  test("name the saved templates that break a rule, which keep working until they are changed", async () => {
    await rows(
      "UPDATE partners SET click_parameters = 'campaign={c}#x', cost_parameters = 'cost_id=fixed-value-000' WHERE id = 1",
    );
    const read = () =>
      ask<Items<{ template_problems: { param: string; message: string }[] }>>(`${partners}/1`, { token });
    const problems = (await read()).body.data.items[0]?.template_problems ?? [];
    expect(problems.map(({ param }) => param)).toEqual(["click_parameters", "cost_parameters"]);
    expect(problems[0]?.message).toContain("#");
    const renamed = await call(`${partners}/1`, { token, method: "PATCH", json: { display_name: "Acme" } });
    expect(renamed.status).toBe(200);
    const json = { click_parameters: "campaign={c}#x" };
    expect(await rejection(`${partners}/1`, { token, method: "PATCH", json })).toMatchObject({
      status: 400,
      params: ["click_parameters"],
    });
    expect((await read()).body.data.items[0]?.template_problems).toEqual(problems);
  });

  test("are created without cost data, and keep templates byte for byte", async () => {
    const json = { display_name: "Dune", click_parameters: "a={b}&note=%%X Y%%[z]" };
    const { status, headers, body } = await ask<Items<{ id: number }>>(partners, { token, json });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`${partners}/6`);
    expect(body.data.items[0]).toMatchObject({ id: 6, ...json, supports_cost_data: false });
    const listed = await ask<Items<{ id: number }>>("/public/v1/partners", { token: DEMO.apiToken });
    expect(listed.body.data.items.at(-1)).toEqual({
      id: 6,
      display_name: "Dune",
      supports_cost_data: false,
    });
  });

  test("show a changed template in the URLs of links immediately", async () => {
    const links = `/public/v1/apps/${DEMO.appToken}/trackers/${DEMO.linkToken}`;
    const read = async () =>
      (await ask<Items<{ click_url: string }>>(links, { token: DEMO.apiToken })).body.data.items[0]
        ?.click_url;
    expect(await read()).toContain("%%ACME MACRO%%");
    const json = { click_parameters: "only={this}" };
    await ask(`${partners}/1`, { token, method: "PATCH", json });
    expect(await read()).toContain("?only={this}&cost_id=");
  });

  test.each([
    ["CR", "a=1\rb"],
    ["LF", "a=1\nb"],
    ["a control character", "a=\u0007"],
    ["NUL", "a=\u0000"],
    ["4,097 bytes", `${"é".repeat(2048)}x`],
    ["a lone surrogate", "a=\ud800"],
  ])("reject %s in each of the three templates", async (_, template) => {
    const json = { click_parameters: template, impression_parameters: template, cost_parameters: template };
    const { status, params } = await rejection(`${partners}/1`, { token, method: "PATCH", json });
    expect([status, params]).toEqual([400, Object.keys(json)]);
  });

  test("that are stopped send no costs, by API or on a URL, until they are resumed", async () => {
    const stop = async (stopped: boolean) => {
      const sent = { token, method: "PATCH", json: { stopped } };
      const { body } = await ask<Items<{ stopped_at: string | null }>>(`${partners}/1`, sent);
      return body.data.items[0]?.stopped_at;
    };
    const onUrl = (id: string) => `cost_id=${id}&cost_type=cpc&cost_amount=1&cost_currency=USD`;
    const counted = () =>
      rows("SELECT cost_id FROM cost_states WHERE cost_id LIKE 'switched-%' ORDER BY cost_id");
    expect(await stop(true)).toBe("2026-03-15T12:00:00.000Z");
    expect((await sendCost({ cost_id: "switched-cost-01" })).body.code).toBe("partner_stopped");
    await call(`/${DEMO.linkToken}?${onUrl("switched-click-1")}`, { headers: { "user-agent": IPHONE } });
    expect(await counted()).toEqual([]);

    expect(await stop(false)).toBeNull();
    expect((await sendCost({ cost_id: "switched-cost-01" })).status).toBe(200);
    await call(`/${DEMO.linkToken}?${onUrl("switched-click-2")}`, { headers: { "user-agent": IPHONE } });
    expect(await counted()).toEqual([{ cost_id: "switched-click-2" }, { cost_id: "switched-cost-01" }]);
  });

  test("have a highest price on a URL, 100 unless an operator changes it", async () => {
    const read = async (json: object) => {
      const { body } = await ask<Items<{ max_url_amount: string }>>(`${partners}/1`, {
        token,
        method: "PATCH",
        json,
      });
      return body.data.items[0]?.max_url_amount;
    };
    const created = await ask<Items<{ max_url_amount: string }>>(partners, {
      token,
      json: { display_name: "New" },
    });
    expect(created.body.data.items[0]?.max_url_amount).toBe("100");
    expect(await read({ max_url_amount: "0.5" })).toBe("0.5");
    expect(await read({ display_name: "Acme Ads" })).toBe("0.5");
  });

  test.each(["XXY", "US%44", "US", "USDX", "", "EURO"])(
    "reject %j as the literal currency of their cost parameters, when they are created or changed",
    async (currency) => {
      const json = { cost_parameters: `cost_id={id}&cost_amount={p}&cost_currency=${currency}` };
      const expected = { status: 400, code: "invalid_request", params: ["cost_parameters"] };
      expect(await rejection(`${partners}/1`, { token, method: "PATCH", json })).toEqual(expected);
      expect(await rejection(partners, { token, json: { display_name: "x", ...json } })).toEqual(expected);
    },
  );

  test.each(["usd", "KWD", "{currency}", "[currency]", "%%CURRENCY%%", "cur_{x}"])(
    "take %s as the currency of their cost parameters",
    async (currency) => {
      const json = { cost_parameters: `cost_id={id}&cost_currency=${currency}&cost_amount={p}` };
      expect((await ask(`${partners}/1`, { token, method: "PATCH", json })).status).toBe(200);
    },
  );

  test("reject two currencies, and keep cost parameters that nobody changes", async () => {
    const json = { cost_parameters: "cost_id={id}&cost_currency={currency}&cost_currency=USD" };
    expect((await rejection(`${partners}/1`, { token, method: "PATCH", json })).params).toEqual([
      "cost_parameters",
    ]);
    await rows("UPDATE partners SET cost_parameters = 'cost_currency=OLD' WHERE id = 1");
    const renamed = { display_name: "Acme" };
    expect((await ask(`${partners}/1`, { token, method: "PATCH", json: renamed })).status).toBe(200);
  });

  test("accept a template of exactly 4 KiB", async () => {
    const json = { click_parameters: "é".repeat(2048) };
    expect((await ask(`${partners}/1`, { token, method: "PATCH", json })).status).toBe(200);
  });

  test("that do not exist are not found", async () => {
    expect((await rejection(`${partners}/99`, { token })).status).toBe(404);
    const json = { display_name: "x" };
    expect((await rejection(`${partners}/99`, { token, method: "PATCH", json })).status).toBe(404);
  });
});

describe("credentials", () => {
  const issue = (json: object) => ask<Items<Credential>>(credentials, { token, json });

  test("a live credential is shown once, works for its cost types, and stops working when revoked", async () => {
    const { status, body } = await issue({ partner_id: 1, mode: "live", cost_types: ["cpm", "cpc", "cpc"] });
    const [created] = body.data.items;
    expect(status).toBe(201);
    expect(created?.cost_types).toEqual(["cpc", "cpm"]);
    const secret = created?.credential ?? "";
    const send = (costType: string) =>
      sendCost({ cost_type: costType, cost_id: "operator-cost-0001" }, { token: secret });
    expect((await send("cpc")).status).toBe(200);
    expect((await send("cpi")).body.code).toBe("cost_type_not_integrated");
    const listed = await ask<Items<Credential>>(`${credentials}?partner_id=1`, { token });
    expect(listed.body.data.paging.total).toBe("2");
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    expect(listed.body.data.items[1]?.hint).toBe(`ll_live_…${secret.slice(-4)}`);
    await ask(`${credentials}/${created?.id}/revoke`, { token, method: "POST" });
    expect((await send("cpc")).body.code).toBe("credential_revoked");
    const audit = await rows<{ action: string }>("SELECT action, detail FROM audit_log ORDER BY id");
    expect(audit.map((entry) => entry.action)).toEqual(["issue credential", "revoke credential"]);
    expect(JSON.stringify(audit)).not.toContain(secret);
  });

  test("revoking again changes nothing and returns the first time", async () => {
    const revoke = (now?: number) =>
      ask<Items<{ revoked_at: string }>>(`${credentials}/1/revoke`, {
        token,
        method: "POST",
        ...(now && { now }),
      });
    const first = await revoke();
    const again = await revoke(Date.UTC(2026, 2, 16));
    expect(again.body.data.items[0]?.revoked_at).toBe(first.body.data.items[0]?.revoked_at);
    expect(await rows("SELECT * FROM audit_log")).toHaveLength(1);
  });

  test.each([
    ["a live credential for a cost type that is not integrated", { partner_id: 2, mode: "live" }],
    ["a test credential without an open round", { partner_id: 1, mode: "test" }],
  ])("rejects %s", async (_, json) => {
    const requested = { ...json, cost_types: ["cpc"] };
    expect(await rejection(credentials, { token, json: requested })).toMatchObject({
      code: "round_required",
    });
    expect(await rows("SELECT * FROM audit_log")).toEqual([]);
  });

  test("a test credential sends costs to the open round of its cost types", async () => {
    const { body } = await issue({ partner_id: 3, mode: "test", cost_types: ["cpc"] });
    const [created] = body.data.items;
    expect(created?.round_id).toBe(1);
    const send = (costType: string) =>
      sendCost({ cost_type: costType, cost_id: "operator-cost-0001" }, { token: created?.credential });
    expect((await send("cpc")).body).toMatchObject({ round: 1, match: "pending" });
    expect((await send("cpi")).body.code).toBe("cost_type_not_integrated");
  });

  test.each([
    ["unknown cost types", { partner_id: 1, mode: "live", cost_types: ["cpa"] }, "cost_types.0"],
    ["no cost type", { partner_id: 1, mode: "live", cost_types: [] }, "cost_types"],
    ["an unknown mode", { partner_id: 1, mode: "both", cost_types: ["cpc"] }, "mode"],
    ["an unknown partner", { partner_id: 99, mode: "live", cost_types: ["cpc"] }, "partner_id"],
  ])("rejects %s", async (_, json, param) => {
    expect(await rejection(credentials, { token, json })).toEqual({
      status: 400,
      code: "invalid_request",
      params: [param],
    });
  });
});
