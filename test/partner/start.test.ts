/** The overview of a test credential: three steps to the first match, marked from what the round has. */
import { beforeEach, describe, expect, it } from "vitest";
import { call, click, DEMO, env, freshDemo, NOW, ORIGIN, rows, sendCost, view } from "../harness.ts";
import { freshPartner, type PageAnswer, type PartnerBrowser } from "./support.ts";

const token = DEMO.testCostToken;
const link = "demo1nk007";

async function freshRound() {
  await freshDemo();
  await rows("DELETE FROM round_entries");
  await rows("DELETE FROM ledger_entries WHERE partner_id = 3");
  await rows("UPDATE rounds SET entry_count = 0, cost_types = 9");
}
let browser: PartnerBrowser;
beforeEach(async () => {
  browser = await freshPartner(freshRound, token);
});

const open = (path = "/partner") => browser.get(path);
/** The steps that are done. */
const doneOf = ({ markup }: PageAnswer) =>
  [...markup.matchAll(/<h3>([^<]+?) <span class="badge ok">Done/g)].map(([, title]) => title);
const decode = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
/** The commands, as they are copied. */
const commandsOf = ({ markup }: PageAnswer) =>
  [...markup.matchAll(/data-copy="([^"]+)"/g)].map(([, text = ""]) => decode(text));
const idOf = (page: PageAnswer) => /cost_id=([\w-]+)&s2s=1/.exec(commandsOf(page)[0] ?? "")?.[1] ?? "";

describe("the three steps", () => {
  it("have the own link, the host of the request, and a new cost ID each time", async () => {
    const page = await open();
    const id = idOf(page);
    expect(id).toMatch(/^test-20260315-[0-9a-f]{8}$/);
    expect(commandsOf(page)).toEqual([
      `curl -s "${ORIGIN}/${link}?cost_id=${id}&s2s=1"`,
      `curl -s -H "Authorization: Token token=$COST_TOKEN" \\\n  -d 'cost_type=cpc' -d 'cost_currency=EUR' -d 'cost_amount=0.25' \\\n  -d 'cost_id=${id}' -d 'tag=first' "${ORIGIN}/cost"`,
    ]);
    expect(idOf(await open())).not.toBe(id);
    expect(page.markup).not.toContain(token);
  });

  it("are done one after the other, and keep the cost ID when the page is checked again", async () => {
    const page = await open();
    const id = idOf(page);
    const again = /href="([^"]+)">Check again/.exec(page.markup)?.[1] ?? "";
    expect([doneOf(page), again]).toEqual([[], `/partner?cost_id=${id}`]);
    await click(id, { link, query: "&s2s=1" });
    expect(doneOf(await open(again))).toEqual(["Record a click"]);
    expect(idOf(await open(again))).toBe(id);
    await sendCost({ cost_id: "another-id-0001" }, { token });
    expect(doneOf(await open(again))).toEqual(["Record a click", "Send its cost"]);
    await sendCost({ cost_id: id, cost_amount: "0.25" }, { token });
    const next = await open(again);
    expect(next.text).toContain("Send your first cpm");
    expect(commandsOf(next)[0]).toContain(`/impression/${link}?cost_id=`);
    expect(doneOf(next)).toEqual([]);
  });

  it("are all done when every cost type has a match", async () => {
    const id = "first-match-0001";
    await click(id, { link });
    await view(id.replace("match", "view"), { link });
    await sendCost({ cost_id: id, cost_amount: "1" }, { token });
    await sendCost({ cost_id: id.replace("match", "view"), cost_type: "cpm", cost_amount: "1" }, { token });
    const page = await open();
    expect(doneOf(page)).toEqual(["Record a click", "Send its cost", "See the match"]);
    expect(page.text).toContain("cpc 1 Passes cpm 1 Passes");
  });

  it("have the currency that the partner's template fixes, and ask whom the setting names for a missing link", async () => {
    await env.DB.exec("UPDATE partners SET cost_parameters = 'cost_id={id}&cost_currency=gbp' WHERE id = 3");
    await env.DB.exec("UPDATE links SET archived = 1 WHERE partner_id = 3");
    const page = await browser.get("/partner", { env: { OPERATOR_CONTACT: "ops@example.com" } });
    expect(commandsOf(page)[1]).toContain("cost_currency=GBP");
    expect(commandsOf(page)[0]).toContain("/$LINK_TOKEN?cost_id=");
    expect(page.markup).toContain('your operator (<a href="mailto:ops@example.com">');
  });

  it.each(['x"$(id)`', "short", "a'b-2026-0001", "x".repeat(65), "<b>bold-id-01</b>"])(
    "have an ID of their own for one that a shell or the API would not take: %s",
    async (costId) => {
      const page = await open(`/partner?${new URLSearchParams({ cost_id: costId })}`);
      expect(idOf(page)).toMatch(/^test-/);
      expect(page.markup).not.toContain(costId);
    },
  );
});

describe("a round that has ended", () => {
  it.each([
    ["close", {}, "The round was closed, so nothing more can be sent with this credential."],
    ["approve", { cost_types: ["cpc"] }, "The round was approved. Sign in with your live credential"],
  ])("has what to do in the place of the steps: %s", async (action, json, text) => {
    await click("first-match-0001", { link });
    await sendCost({ cost_id: "first-match-0001", cost_amount: "1" }, { token });
    const ended = await call(`/operator/v1/rounds/1/${action}`, {
      method: "POST",
      token: DEMO.operatorToken,
      ...(action === "approve" && { json }),
    });
    expect(ended.status).toBe(200);
    const page = await open();
    expect(page.text).toContain(text);
    expect(commandsOf(page)).toEqual([]);
  });
});

it("shows nothing after its credential was revoked", async () => {
  await rows("UPDATE credentials SET revoked_at = ?", NOW);
  for (const path of ["/partner", "/partner/costs", "/partner/costs.csv", "/partner/costs/first-match-0001"])
    expect((await browser.get(path)).status, path).toBe(303);
});
