import { beforeEach, describe, expect, test } from "vitest";
import { Browser, freshSession } from "../account/support.ts";
import { ask, click, DEMO, env, freshDemo, freshState, rejection, rows, sendCost } from "../harness.ts";
import { once } from "../once.ts";
import { textOf } from "../workspace/page-text.ts";

const token = DEMO.operatorToken;
const rounds = "/operator/v1/rounds";

interface Finding {
  finding: string;
  kind: string;
  state: string;
  reason?: string;
}
interface Round {
  id: number;
  state: string;
  approved_cost_types: string[];
  test_credential: string;
  report: { types: { cost_type: string; passed: boolean; findings: Finding[] }[] };
}

async function askRound(path: string, options: object = {}): Promise<Round> {
  const { body } = await ask<{ data: { items: Round[] } }>(path, { token, ...options });
  const [round] = body.data.items;
  if (!round) throw new Error(JSON.stringify(body));
  return round;
}
const findings = ({ report }: Round) => report.types.flatMap((type) => type.findings);
const stateOf = (round: Round, key: string) => findings(round).find(({ finding }) => finding === key)?.state;

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshDemo, DEMO.operatorEmail, DEMO.operatorPassword);
});

const opened = once("half passed round", () => ({ round: undefined as Round | undefined }));

/** Resets to a state with a round of partner 2 for cpc and cpi, in which only cpc has a match. */
async function freshHalfPassed(): Promise<Round> {
  await freshState("half passed round", async () => {
    await freshSession(freshDemo, DEMO.operatorEmail, DEMO.operatorPassword);
    const round = await askRound(rounds, { json: { partner_id: 2, cost_types: ["cpc", "cpi"] } });
    await click("beacon-click-01", { link: "demo1nk006" });
    await sendCost({ cost_id: "beacon-click-01" }, { token: round.test_credential });
    opened.round = round;
  });
  return opened.round as Round;
}

describe("approving some cost types", () => {
  test.each([{}, { headers: { "content-type": "application/json" }, body: "" }, { json: {} }])(
    "means all of the round with the body %j, which cannot be approved while one has no match",
    async (options) => {
      const { id } = await freshHalfPassed();
      const rejected = await rejection(`${rounds}/${id}/approve`, { method: "POST", token, ...options });
      expect([rejected.status, rejected.code]).toEqual([409, "mismatch_open"]);
    },
  );

  test("makes only those live that were chosen and passed, and ends the round", async () => {
    const { id } = await freshHalfPassed();
    const approved = await askRound(`${rounds}/${id}/approve`, { json: { cost_types: ["cpc"] } });
    expect([approved.state, approved.approved_cost_types]).toEqual(["approved", ["cpc"]]);
    expect(await rows("SELECT integrated_types FROM partners WHERE id = 2")).toEqual([
      { integrated_types: 1 },
    ]);
    const { text } = await operator.get(`/operator/rounds/${id}`);
    expect(text).toContain("cpc is live for the partner. Not approved: cpi.");
    expect(text).toContain("To test cpi again");
  });

  test.each([
    [["cpi"], ["cpi"]],
    [["cpc", "cpi"], ["cpi"]],
  ])("rejects %j and names what is missing", async (cost_types, params) => {
    const { id } = await freshHalfPassed();
    const rejected = await rejection(`${rounds}/${id}/approve`, { token, json: { cost_types } });
    expect(rejected).toMatchObject({ status: 409, code: "mismatch_open", params });
  });

  test.each([
    [["cpm"], "cost_types"],
    [[], "cost_types"],
  ])("rejects %j as invalid", async (cost_types, param) => {
    const { id } = await freshHalfPassed();
    const rejected = await rejection(`${rounds}/${id}/approve`, { token, json: { cost_types } });
    expect([rejected.status, rejected.params[0]?.split(".")[0]]).toEqual([400, param]);
  });

  test("without a choice needs all of the round to pass", async () => {
    const { id } = await freshHalfPassed();
    expect((await rejection(`${rounds}/${id}/approve`, { token, method: "POST" })).status).toBe(409);
  });

  test("is offered for the types that passed, with what the others lack", async () => {
    const { id } = await freshHalfPassed();
    const { text } = await operator.get(`/operator/rounds/${id}`);
    expect(text).toMatch(/<button ?>Approve cpc<\/button>/);
    expect(textOf(text)).toContain("cpc Passes cpi no match yet");
    const { headers } = await operator.post(`/operator/rounds/${id}/approve`, { cost_types: "cpc" });
    expect(headers.get("location")).toBe(`/operator/rounds/${id}?notice=round-approved`);
  });

  test("is not offered where nothing can be approved", async () => {
    const { text } = await operator.get("/operator/rounds/1");
    expect(text).toMatch(/A cost sent at most seven days after the click or impression of \d+ \w{3} 2026\./);
    expect(text).not.toContain("/rounds/1/approve");
    expect(text).toContain("No cost type can be approved yet. Each needs a match and no open mismatches.");
    expect(textOf(text)).toContain("cpe no match yet, 2 open mismatches");
  });

  test("is not offered while a mismatch of other submissions is open", async () => {
    const { id, test_credential } = await freshHalfPassed();
    await sendCost({ cost_id: "beacon-click-02", cost_type: "cpx" }, { token: test_credential });
    const { text } = await operator.get(`/operator/rounds/${id}`);
    expect(text).not.toContain(`/rounds/${id}/approve`);
    expect(text).toContain("No cost type can be approved while mismatches of other submissions are open.");
  });
});

describe("dismissing", () => {
  test("keeps the reason in the report and in the audit log", async () => {
    const round = await askRound(`${rounds}/1/dismissals`, {
      json: { finding: "entry 9", reason: " agreed " },
    });
    expect(findings(round).find(({ finding }) => finding === "entry 9")).toMatchObject({
      state: "dismissed",
      reason: "agreed",
    });
    expect(await rows("SELECT action, subject, detail FROM audit_log WHERE action <> 'sign in'")).toEqual([
      { action: "dismiss mismatch", subject: "round 1", detail: '{"finding":"entry 9","reason":"agreed"}' },
    ]);
    const report = await ask<{ report: unknown }>("/cost/round", { token: DEMO.testCostToken });
    expect(JSON.stringify(report.body)).toContain('"reason":"agreed"');
  });

  test("takes all open mismatches of a kind, and no others", async () => {
    const kind = "engagement_without_cost";
    const before = await askRound(`${rounds}/1`);
    const open = findings(before).filter((one) => one.kind === kind && one.state === "open");
    expect(open).toHaveLength(2);
    const after = await askRound(`${rounds}/1/dismissals`, { json: { kind } });
    const changed = findings(after).filter((one) => stateOf(before, one.finding) !== one.state);
    expect(changed.map(({ finding, state }) => [finding, state])).toEqual(
      open.map(({ finding }) => [finding, "dismissed"]),
    );
    expect((await rejection(`${rounds}/1/dismissals`, { token, json: { kind } })).params).toEqual(["kind"]);
  });

  test.each([[{}], [{ finding: "entry 9", kind: "late" }], [{ kind: "none" }]])(
    "rejects %j",
    async (json) => {
      expect((await rejection(`${rounds}/1/dismissals`, { token, json })).status).toBe(400);
    },
  );

  test("is undone, once, and only while the round is open", async () => {
    const path = `${rounds}/1/dismissals`;
    const undo = `${path}?${new URLSearchParams({ finding: "entry 9" })}`;
    await askRound(path, { json: { finding: "entry 9" } });
    expect(stateOf(await askRound(undo, { method: "DELETE" }), "entry 9")).toBe("open");
    expect((await rejection(undo, { token, method: "DELETE" })).params).toEqual(["finding"]);
    expect(await rows("SELECT subject, detail FROM audit_log WHERE action = 'undo dismissal'")).toEqual([
      { subject: "round 1", detail: '{"finding":"entry 9"}' },
    ]);
    await askRound(path, { json: { finding: "entry 9" } });
    await askRound(`${rounds}/1/close`, { method: "POST" });
    expect((await rejection(undo, { token, method: "DELETE" })).code).toBe("round_ended");
    expect(await rows("SELECT finding FROM round_dismissals")).toEqual([{ finding: "entry 9" }]);
  });

  test("in the console leads back to the row of the mismatch, which can be undone there", async () => {
    const path = "/operator/rounds/1/dismissals";
    const { text } = await operator.get("/operator/rounds/1");
    expect(text).toContain('<tr id="finding-entry_209"');
    const dismissed = await operator.post(path, { finding: "entry 9", reason: "" });
    expect(dismissed.headers.get("location")).toBe(
      "/operator/rounds/1?notice=mismatch-dismissed#finding-entry_209",
    );
    const undone = await operator.post(`${path}/undo`, { finding: "entry 9" });
    expect(undone.headers.get("location")).toBe(
      "/operator/rounds/1?notice=dismissal-undone#finding-entry_209",
    );
    expect(await rows("SELECT * FROM round_dismissals")).toEqual([]);
  });

  test("keeps the reason and opens the form of a rejected dismissal", async () => {
    const { status, text } = await operator.post("/operator/rounds/1/dismissals", {
      finding: "entry 9",
      reason: `because ${"x".repeat(500)}`,
    });
    expect(status).toBe(400);
    expect(text).toMatch(/<details class="confirm" open>\s*<summary>Dismiss/);
    expect(text.match(/value="because x/g)).toHaveLength(1);
  });
});

describe("a test link", () => {
  const links = `${rounds}/1/links`;

  test("is created with the partner attached and cost data off, and redirects", async () => {
    const { status, body } = await ask<{ data: { items: { token: string }[] } }>(links, {
      token,
      json: { app_token: DEMO.otherAppToken, name: "Corsair test" },
    });
    expect(status).toBe(201);
    const [link] = body.data.items;
    expect(link).toMatchObject({ label: "Corsair test", level: 1, partner_id: 3, cost_data_enabled: false });
    expect((await click("corsair-test-001", { link: link?.token ?? "" })).status).toBe(302);
  });

  test.each([
    [{ app_token: "nosuchapp000", name: "x" }, 400],
    [{ app_token: DEMO.appToken, name: "a::b" }, 400],
    [{ app_token: DEMO.appToken }, 400],
  ])("rejects %j and creates nothing", async (json, status) => {
    const count = () => rows("SELECT count(*) AS n FROM links");
    const before = await count();
    expect((await rejection(links, { token, json })).status).toBe(status);
    expect(await count()).toEqual(before);
  });

  test("is created once for each name, app and round, however often it is sent", async () => {
    const create = async (app_token: string = DEMO.appToken) => {
      const json = { app_token, name: "Same" };
      const { body } = await ask<{ data: { items: { token: string }[] } }>(links, { token, json });
      return body.data.items[0]?.token;
    };
    const [first, second] = await Promise.all([create(), create()]);
    expect(first).toMatch(/^\w{10}$/);
    expect(second).toBe(first);
    expect(await create(DEMO.otherAppToken)).not.toBe(first);
    await rows("UPDATE links SET created_at = 0 WHERE token = ?", first);
    expect(await create()).not.toBe(first);
    expect(await rows("SELECT id FROM audit_log WHERE action = 'create test link'")).toHaveLength(3);
  });

  test("is found among more than 20 newer ones", async () => {
    const create = async (name: string) => {
      const json = { app_token: DEMO.appToken, name };
      const { status, body } = await ask<{ data: { items: { token: string }[] } }>(links, { token, json });
      return [status, body.data?.items[0]?.token];
    };
    const first = await create("First");
    // As many newer ones as the first.
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 21)
       INSERT INTO links (token, app_token, parent_id, level, label, partner_id, cost_switch, created_at)
       SELECT 'newerlink' || i, app_token, parent_id, level, 'Newer ' || i, partner_id, cost_switch, created_at + i FROM links, n WHERE token = ?`,
      first[1],
    );
    expect(await create("First")).toEqual(first);
    const page = await operator.get(`/operator/rounds/1/link?app=${DEMO.appToken}&link=${first[1]}`);
    expect(page.text).toContain("Showing the newest 20.");
    expect(page.text).not.toContain(`link=${first[1]}"`);
    expect(textOf(page.text)).toContain("Send this to Corsair Media Link First");
    // A link of another partner.
    const other = await operator.get(`/operator/rounds/1/link?app=${DEMO.appToken}&link=${DEMO.linkToken}`);
    expect(other.text).not.toContain("Send this to");
  });

  test("is not created in an archived app", async () => {
    await rows("UPDATE apps SET archived_at = 1 WHERE token = ?", DEMO.appToken);
    expect(await rejection(links, { token, json: { app_token: DEMO.appToken, name: "x" } })).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["app_token"],
    });
  });

  test("is not created in a full app, or for an ended round", async () => {
    const json = { app_token: DEMO.appToken, name: "x" };
    await env.DB.prepare("UPDATE apps SET max_links = created_link_count").run();
    expect((await rejection(links, { token, json })).code).toBe("app_full");
    await env.DB.prepare("UPDATE rounds SET state = 'closed'").run();
    expect((await rejection(links, { token, json })).code).toBe("round_ended");
    expect((await rejection(`${rounds}/99/links`, { token, json })).code).toBe("not_found");
  });

  test("can be chosen or created in the console, which shows what to send to the partner", async () => {
    const path = "/operator/rounds/1/link";
    expect((await operator.get(path)).text).toContain('name="app"');
    const list = await operator.get(`${path}?app=${DEMO.appToken}`);
    expect(list.text).toContain("link=demo1nk007");
    const chosen = await operator.get(`${path}?app=${DEMO.appToken}&link=demo1nk007`);
    expect(textOf(chosen.text)).toMatch(/Send this to Corsair Media .*demo1nk007.*\/cost /);
    const created = await operator.post(path, { app_token: DEMO.appToken, name: "Another" });
    const location = created.headers.get("location") ?? "";
    expect(location).toMatch(
      /^\/operator\/rounds\/1\/link\?app=demoapp00001&link=\w{10}&notice=link-created$/,
    );
    expect(textOf((await operator.get(location)).text)).toContain("Link Another");
    const member = new Browser();
    await member.signIn();
    const token = new URL(location, "https://a").searchParams.get("link");
    const history = await member.get(`/apps/${DEMO.appToken}/links/${token}/history`);
    expect(history.text).toContain("created the link “Another” to test in round 1.");
  });
});
