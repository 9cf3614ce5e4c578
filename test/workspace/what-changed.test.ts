/** Above the charts of Performance and Overview: why spend changed, what changed most, and what happened. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { DAY, DEMO, env, ledgerOn, NOW } from "../harness.ts";
import { freshLedger, inLedger } from "../support.ts";
import { APP, hrefOf, linksOf, mainOf, textOf } from "./page-text.ts";

const today = Math.floor(NOW / DAY);
/** Two days and the two before them, with and without costs that can still arrive. */
const OPEN = "from=2026-03-13&to=2026-03-14";
const FINAL = { from: "2026-03-03", to: "2026-03-04" };
const SPRING = 2;

let browser: Browser;

beforeEach(async () => {
  browser = await freshSession(freshLedger);
});

const partOf = (page: string) => /<section class="what-changed"[\s\S]*?<\/section>/.exec(page)?.[0] ?? "";
const show = async (query: string, page = `${APP}/performance`) => {
  const { status, text } = await browser.get(`${page}?${query}`);
  expect(status).toBe(200);
  return mainOf(text);
};
const sentenceOf = (page: string) => textOf(/<p>[\s\S]*?<\/p>/.exec(partOf(page))?.[0] ?? "");

interface Sum {
  daysAgo: number;
  type?: string;
  link?: number;
  currency?: string;
  count: number;
  /** Of one cost, in whole units of the currency. */
  price: number;
}
/** Adds costs of partner 1 with as many clicks, and clicks beside them. */
async function add(...sums: Sum[]) {
  const key = ({ daysAgo, link = 1 }: Sum) => `'${DEMO.appToken}', ${today - daysAgo}, ${link}, 1`;
  const db = ledgerOn().shards[0] ?? env.DB;
  await db.batch(
    sums.flatMap((sum) => {
      const { type = "cpc", currency = "USD", count, price } = sum;
      return [
        `INSERT INTO daily_totals VALUES (${key(sum)}, '${type}', '${currency}', 'matched', ${count}, ${count * price * 100_000})`,
        `INSERT INTO daily_engagements VALUES (${key(sum)}, 'click', ${count}, ${count})
           ON CONFLICT DO UPDATE SET count = count + excluded.count, recorded = recorded + excluded.recorded`,
      ].map((sql) => db.prepare(sql));
    }),
  );
}
const stopped = (daysAgo: number, partner = 1) =>
  env.DB.batch([
    env.DB.prepare(`UPDATE partners SET stopped_at = ${NOW - daysAgo * DAY} WHERE id = ${partner}`),
    env.DB.prepare(
      "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 2, 'update partner', ?, ?)",
    ).bind(NOW - daysAgo * DAY, `partner ${partner}`, '{"stopped_at":{"from":null,"to":1}}'),
  ]);

describe("the sentence", () => {
  it.each<[string, Sum[], string]>([
    [
      "fewer clicks at a lower price",
      [
        { daysAgo: 3, count: 40, price: 5 },
        { daysAgo: 1, count: 30, price: 4 },
      ],
      "Spend fell $80.00 (−40.0%): fewer paid clicks (−$50.00), lower price per click (−$30.00).",
    ],
    [
      "more installs",
      [
        { daysAgo: 3, type: "cpi", count: 20, price: 5 },
        { daysAgo: 1, type: "cpi", count: 30, price: 5 },
      ],
      "Spend rose $50.00 (+50.0%): more paid installs (+$50.00).",
    ],
    [
      "types that are new or ended, and nothing of a volume that is the same together",
      [
        ...[
          { daysAgo: 3, count: 40, price: 1 },
          { daysAgo: 1, count: 30, price: 1 },
        ],
        ...[
          { daysAgo: 3, type: "cpm", count: 1000, price: 10 },
          { daysAgo: 1, type: "cpm", count: 2000, price: 10 },
        ],
        { daysAgo: 3, type: "cpe", count: 5, price: 2 },
        { daysAgo: 1, type: "cpi", count: 2, price: 3 },
      ],
      "Spend fell $4.00 (−6.7%): cpi is new (+$6.00), cpe ended (−$10.00).",
    ],
    [
      "which type has the lower price",
      [
        { daysAgo: 3, count: 40, price: 5 },
        { daysAgo: 1, count: 40, price: 5 },
        { daysAgo: 3, type: "cpe", count: 20, price: 10 },
        { daysAgo: 1, type: "cpe", count: 20, price: 5 },
      ],
      "Spend fell $100.00 (−25.0%): lower price per event (−$100.00).",
    ],
    [
      "which type has most of the lower prices, also if another one is higher",
      [
        { daysAgo: 3, count: 40, price: 5 },
        { daysAgo: 1, count: 40, price: 6 },
        { daysAgo: 3, type: "cpe", count: 20, price: 10 },
        { daysAgo: 1, type: "cpe", count: 20, price: 5 },
      ],
      "Spend fell $60.00 (−15.0%): lower prices (−$60.00, mostly cpe).",
    ],
    [
      "the types that together have most of the lower prices",
      [
        { daysAgo: 3, count: 40, price: 5 },
        { daysAgo: 1, count: 40, price: 6 },
        { daysAgo: 3, type: "cpi", count: 20, price: 3 },
        { daysAgo: 1, type: "cpi", count: 20, price: 1 },
        { daysAgo: 3, type: "cpe", count: 30, price: 2 },
        { daysAgo: 1, type: "cpe", count: 30, price: 1 },
      ],
      "Spend fell $30.00 (−9.4%): lower prices (−$30.00, mostly cpi and cpe).",
    ],
    [
      "only the type that has nine tenths of a part",
      [
        { daysAgo: 3, count: 40, price: 1 },
        { daysAgo: 1, count: 50, price: 1 },
        { daysAgo: 3, type: "cpi", count: 30, price: 9 },
        { daysAgo: 1, type: "cpi", count: 20, price: 9 },
      ],
      "Spend fell $80.00 (−25.8%): fewer paid installs (−$80.00).",
    ],
    [
      "which type has most of the number",
      [
        { daysAgo: 3, count: 40, price: 1 },
        { daysAgo: 1, count: 32, price: 1 },
        { daysAgo: 3, type: "cpi", count: 30, price: 4 },
        { daysAgo: 1, type: "cpi", count: 20, price: 4 },
      ],
      "Spend fell $48.00 (−30.0%): fewer costs (−$48.00, mostly cpi).",
    ],
    [
      "of what there is less, if all costs together are more",
      [
        { daysAgo: 3, count: 40, price: 1 },
        { daysAgo: 1, count: 60, price: 1 },
        { daysAgo: 3, type: "cpi", count: 30, price: 4 },
        { daysAgo: 1, type: "cpi", count: 20, price: 4 },
      ],
      "Spend fell $20.00 (−12.5%): fewer paid installs (−$20.00).",
    ],
    [
      "nothing of the price of fewer than 20 costs",
      [
        { daysAgo: 3, count: 40, price: 2 },
        { daysAgo: 1, count: 30, price: 2 },
        { daysAgo: 3, type: "cpi", count: 20, price: 5 },
        { daysAgo: 1, type: "cpi", count: 19, price: 6 },
      ],
      "Spend fell $6.00 (−3.3%): fewer costs (−$25.00, mostly cpc), other changes (+$19.00).",
    ],
    [
      "the same spend of other parts",
      [
        { daysAgo: 3, count: 40, price: 1 },
        { daysAgo: 1, count: 20, price: 2 },
      ],
      "Spend didn’t change: fewer paid clicks (−$20.00), higher price per click (+$20.00).",
    ],
    [
      "the same",
      [
        { daysAgo: 3, count: 40, price: 1 },
        { daysAgo: 1, count: 40, price: 1 },
      ],
      "Spend didn’t change.",
    ],
    [
      "nothing anymore",
      [{ daysAgo: 3, count: 40, price: 1 }],
      "Spend fell $40.00 (−100%): no cost from Acme Ads after 12 Mar (−$40.00).",
    ],
    [
      "parts that add up to the change that is shown, each rounded",
      [
        { daysAgo: 3, count: 40, price: 0.005 },
        { daysAgo: 1, count: 41, price: 0.00524 },
      ],
      // More clicks +$0.005, a higher price +$0.00984.
      "Spend rose $0.01 (+7.4%): more paid clicks (+$0.01).",
    ],
    [
      "every digit of a change that is less than a cent",
      [
        { daysAgo: 3, count: 40, price: 0.0001 },
        { daysAgo: 1, count: 50, price: 0.0001 },
      ],
      "Spend rose <$0.01 (+25.0%): more paid clicks (+$0.001).",
    ],
    [
      "the largest of many parts",
      [
        ...[
          { daysAgo: 3, count: 40, price: 1 },
          { daysAgo: 1, count: 30, price: 2 },
        ],
        { daysAgo: 3, type: "cpm", count: 1000, price: 10 },
        { daysAgo: 3, type: "cpe", count: 5, price: 2 },
        { daysAgo: 1, type: "cpi", count: 2, price: 3 },
      ],
      "Spend rose $6.00 (+10.0%): cpe ended (−$10.00), cpm ended (−$10.00), higher price per click (+$30.00), other changes (−$4.00).",
    ],
    [
      "few clicks",
      [
        { daysAgo: 3, count: 19, price: 1 },
        { daysAgo: 1, count: 2, price: 1 },
      ],
      "Spend fell $17.00 (−89.5%). There are too few clicks or impressions to say why.",
    ],
  ])("says %s", async (_, sums, sentence) => {
    await add(...sums);
    expect(sentenceOf(await show(OPEN))).toBe(sentence);
    expect(sentenceOf(await show(OPEN, APP))).toBe(sentence);
  });

  it("says of today nothing at all, and nothing without anything before", async () => {
    await add({ daysAgo: 13, count: 40, price: 1 }, { daysAgo: 12, count: 20, price: 1 });
    expect(sentenceOf(await show("from=2026-03-03&to=2026-03-03"))).toBe(
      "Spend fell $20.00 (−50.0%): fewer paid clicks (−$20.00).",
    );
    expect(partOf(await show("period=today"))).toBe("");
    // There was nothing before.
    expect(partOf(await show(`from=${FINAL.from}&to=2026-03-14`))).not.toContain("Spend rose");
  });

  it("has adjustments as a part, and is in the currency of the page", async () => {
    await add(
      ...[
        { daysAgo: 3, count: 40, price: 5 },
        { daysAgo: 1, count: 40, price: 5 },
      ],
      ...[
        { daysAgo: 3, currency: "EUR", count: 20, price: 1 },
        { daysAgo: 1, currency: "EUR", count: 30, price: 1 },
      ],
    );
    await env.DB.prepare(
      `INSERT INTO adjustments (app_token, day, link_id, partner_id, cost_type, currency, amount, reason, user_id, created_at)
       VALUES (?1, ${today - 2}, 1, 1, 'cpc', 'USD', -750000000, 'r', 2, 0),
         (?1, ${today - 1}, 1, 1, 'cpc', 'USD', -500000000, 'r', 2, 0)`,
    )
      .bind(DEMO.appToken)
      .run();
    const page = await show(OPEN);
    expect(sentenceOf(page)).toContain("Spend fell $12.50 (−6.3%): adjustments (−$12.50).");
    expect(textOf(partOf(page))).toContain(
      "13 – 14 Mar 2026 2 adjustments changed the spend of Acme Ads by −$12.50 Each event " +
        "14 Mar 2026 The spend of Acme Ads was adjusted by −$5.00 13 Mar 2026 The spend of Acme Ads was adjusted by −$7.50",
    );
    expect(sentenceOf(await show(`${OPEN}&currency=EUR`))).toContain("Spend rose €10.00 (+50.0%)");
    for (const [currency, text] of [
      ["", "Spend fell $12.50 (−6.3%): adjustments (−$12.50)."],
      ["&currency=EUR", "Spend rose €10.00 (+50.0%)"],
    ])
      expect(sentenceOf(await show(OPEN + currency, APP))).toContain(text);
    expect(partOf(await show(OPEN, APP))).toContain("was adjusted");
    expect(partOf(await show(`${OPEN}&currency=EUR`, APP))).not.toContain("was adjusted");
  });
});

it("has ratios of 35 days as averages of seven days, of their money by their clicks", async () => {
  // On 3 February, before the days: 40 clicks for $200; on the 8th 10 for $10.
  await add({ daysAgo: 40, count: 40, price: 5 }, { daysAgo: 35, count: 10, price: 1 });
  const of = (days: string) => show(`${days}&to=2026-03-14&metric=cost_per_click`, `${APP}/performance`);
  const label = async (days: string, day: string) =>
    new RegExp(`aria-label="(${day} 2026[^"(]*)`).exec(await of(days))?.[1]?.trim();
  expect(await label("from=2026-02-08", "8 Feb")).toBe("8 Feb 2026, 7-day average: $4.200");
  expect(await of("from=2026-02-08")).toContain(">7-day average, axis from $4.20<");
  expect(await label("from=2026-02-09", "9 Feb")).toBe("9 Feb 2026: –");
});

describe("a partner that explains the change comes first", () => {
  const WEEK = "from=2026-03-08&to=2026-03-14";
  const before = { daysAgo: 10, count: 40, price: 5 };
  const addClicks = (daysAgo: number, partner = 1) =>
    inLedger(
      `INSERT INTO daily_engagements VALUES ('${DEMO.appToken}', ${today - daysAgo}, 1, ${partner}, 'click', 30, 30)`,
    );
  const says = async (sentence: string) => {
    for (const page of [APP, `${APP}/performance`]) expect(sentenceOf(await show(WEEK, page))).toBe(sentence);
  };

  it("if it was stopped", async () => {
    await add(before, { daysAgo: 6, count: 20, price: 5 });
    await stopped(5);
    await says("Spend fell $100.00 (−50.0%): Acme Ads was stopped on 10 Mar (−$100.00).");
  });

  it("not if it was stopped after the days", async () => {
    await add(before, { daysAgo: 1, count: 20, price: 5 });
    await stopped(0);
    await says("Spend fell $100.00 (−50.0%): fewer paid clicks (−$100.00).");
  });

  it.each([
    [3, "no cost from Acme Ads after 12 Mar (−$100.00)"],
    [2, "fewer paid clicks (−$100.00)"],
  ])("if it sent no costs for two days: %d days ago", async (daysAgo, why) => {
    await add(before, { daysAgo, count: 20, price: 5 });
    await addClicks(1);
    await says(`Spend fell $100.00 (−50.0%): ${why}.`);
  });

  it.each([
    [3, "from=2026-03-08&to=2026-03-14", 1],
    // Without anything before.
    [3, "from=2026-01-14&to=2026-03-14", 1],
    [2, "from=2026-03-08&to=2026-03-14", 0],
  ])("and is an event of pages: %d days ago, in %s", async (daysAgo, days, marks) => {
    await add(before, { daysAgo, count: 20, price: 5 });
    const text = "No cost from Acme Ads after 12 Mar";
    for (const page of [APP, `${APP}/performance`]) {
      const shown = await show(days, page);
      expect(textOf(partOf(shown)).includes(`13 Mar 2026 ${text}`)).toBe(marks === 1);
      expect(shown.match(new RegExp(`<title>13 Mar 2026:\\n${text}</title>`, "g")) ?? []).toHaveLength(marks);
    }
  });

  it("and is no event with fewer than 20 costs, or if it was stopped", async () => {
    await add({ daysAgo: 10, count: 9, price: 5 }, { daysAgo: 6, count: 10, price: 5 });
    expect(await show(WEEK)).not.toContain("No cost from");
    await add({ daysAgo: 6, type: "cpi", count: 1, price: 5 });
    expect(await show(WEEK)).toContain("No cost from");
    await stopped(5);
    expect(await show(WEEK)).not.toContain("No cost from");
  });

  it("if it is new, and the others explain what is left", async () => {
    await add(before, { daysAgo: 1, count: 20, price: 5 });
    await inLedger(
      `INSERT INTO daily_totals VALUES ('${DEMO.appToken}', ${today - 1}, 1, 5, 'cpc', 'USD', 'matched', 30, 3000000)`,
    );
    await addClicks(1, 5);
    await says("Spend fell $70.00 (−35.0%): Echo Media is new (+$30.00), fewer paid clicks (−$100.00).");
  });

  it("not if its change is less than a tenth", async () => {
    await add(before, { daysAgo: 1, count: 20, price: 5 });
    await inLedger(
      `INSERT INTO daily_totals VALUES ('${DEMO.appToken}', ${today - 1}, 1, 5, 'cpi', 'USD', 'matched', 30, 800000)`,
    );
    await says("Spend fell $92.00 (−46.0%): cpi is new (+$8.00), fewer paid clicks (−$100.00).");
  });
});

describe("what changed most", () => {
  beforeEach(async () => {
    await add(
      { daysAgo: 3, link: SPRING, count: 40, price: 5 },
      { daysAgo: 1, link: SPRING, count: 20, price: 5 },
      { daysAgo: 1, count: 5, price: 1 },
    );
  });

  it("are up to three rows of the breakdown, each of which leads to its own figures", async () => {
    const page = await show(OPEN);
    expect(textOf(partOf(page))).toContain("What changed most Acme › Spring −$100.00 Acme direct +$5.00");
    const direct = hrefOf(partOf(page), "Acme");
    expect(direct).toBe(`${APP}/performance?${OPEN}&link=demo1nk001&direct=1&group_by=day`);
    const own = await show(direct.split("?")[1] ?? "");
    expect(textOf(own)).toContain("Remove filter Link: Acme direct");
    expect(textOf(own)).toMatch(/Spend \$5\.00 /);
    const below = hrefOf(partOf(page), "Acme › Spring");
    expect(below).toBe(`${APP}/performance?${OPEN}&link=demo1nk002&level=3`);
    expect(sentenceOf(await show(below.split("?")[1] ?? ""))).toContain("Spend fell $100.00 (−50.0%)");
    const ofPartners = partOf(await show(`${OPEN}&group_by=partner`));
    expect(linksOf(ofPartners)).toEqual([
      { text: "Acme Ads", href: `${APP}/performance?${OPEN}&partner_id=1` },
    ]);
    expect(linksOf(partOf(await show(`${OPEN}&group_by=day`)))).toEqual([]);
  });

  it("lead from Overview to Performance, with its days", async () => {
    const page = await show(OPEN, APP);
    expect(linksOf(partOf(page))).toEqual([]);
    const changed = page.slice(page.indexOf('aria-labelledby="changed"'));
    expect(hrefOf(changed, "Acme › Spring")).toBe(
      `${APP}/performance?${OPEN}&link=demo1nk002&level=3&currency=USD`,
    );
    expect(hrefOf(changed, "Acme")).toBe(
      `${APP}/performance?${OPEN}&link=demo1nk001&direct=1&group_by=day&currency=USD`,
    );
    expect(textOf(changed)).toContain("Acme direct $5.00");
  });
});

describe("events", () => {
  beforeEach(() => add({ daysAgo: 3, count: 40, price: 5 }, { daysAgo: 1, count: 20, price: 5 }));

  it.each([APP, `${APP}/performance`])(
    "are in a list and marks on the axis of the chart, whose days say them: %s",
    async (path) => {
      await stopped(2);
      const page = await show(OPEN, path);
      expect(textOf(partOf(page))).toContain("1 event");
      expect(textOf(partOf(page))).toContain("13 Mar 2026 Acme Ads was stopped by an operator");
      expect(page.match(/<svg class="event"[^>]*>[\s\S]*?<\/title>/g)).toEqual([
        '<svg class="event" x="25%" y="100%" aria-hidden="true"><title>13 Mar 2026:\nAcme Ads was stopped by an operator</title>',
      ]);
      expect(page).toMatch(/aria-label="13 Mar 2026: [^"]*Acme Ads was stopped by an operator\)"/);
      expect(page).toContain('<span aria-hidden="true">▲ event · </span>Highest:');
    },
  );

  it("of the days before are in the list, without a mark", async () => {
    await stopped(4);
    const page = await show(OPEN);
    expect(textOf(partOf(page))).toContain("11 Mar 2026 Acme Ads was stopped by an operator");
    expect(page).not.toContain('class="event"');
    expect(page).not.toContain("▲ event");
  });

  it("are there without a change too, the newest three of them at first", async () => {
    await inLedger("DELETE FROM daily_totals");
    for (const daysAgo of [4, 3, 2, 1]) await stopped(daysAgo);
    const page = partOf(await show(OPEN));
    expect(sentenceOf(page)).toBe("");
    expect(textOf(page)).toMatch(/^4 events 14 Mar 2026 .* 1 more event 11 Mar 2026/);
  });

  it("are the newest first, and of a day those of partners and settings before those of single costs", async () => {
    await stopped(3);
    await env.DB.prepare(
      `INSERT INTO audit_log (happened_at, user_id, action, subject, detail)
       VALUES (?1, 2, 'void cost', 'partner 1', ?3), (?1, 2, 'void cost', 'partner 1', ?3), (?2, 2, 'void cost', 'partner 1', ?3),
         (?2, 2, 'update partner', 'partner 1', '{"click_parameters":{"from":"","to":"a=b"}}')`,
    )
      .bind(NOW - 2 * DAY, NOW - DAY, JSON.stringify({ app_token: DEMO.appToken }))
      .run();
    const list = textOf(partOf(await show(OPEN)));
    expect(list).toMatch(
      /14 Mar 2026 The URL parameters of Acme Ads changed 13 – 14 Mar 2026 3 costs of Acme Ads were voided 12 Mar 2026 Acme Ads was stopped by an operator$/,
    );
  });

  it("of single costs are one entry for all partners, in the list and on the chart", async () => {
    const voided = (partner: number, daysAgo: number) =>
      env.DB.prepare(
        "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 2, 'void cost', ?, ?)",
      ).bind(NOW - daysAgo * DAY, `partner ${partner}`, JSON.stringify({ app_token: DEMO.appToken }));
    await inLedger(
      `INSERT INTO daily_engagements VALUES ('${DEMO.appToken}', ${today - 1}, 1, 5, 'click', 30, 30)`,
    );
    await env.DB.batch([voided(1, 2), voided(1, 2), voided(5, 1)]);
    const page = await show(OPEN);
    expect(textOf(partOf(page))).toContain(
      "and 2 events Acme direct −$100.00 13 – 14 Mar 2026 3 costs of 2 partners were voided Each event " +
        "14 Mar 2026 1 cost of Echo Media was voided 13 Mar 2026 2 costs of Acme Ads were voided",
    );
    expect(hrefOf(partOf(page), "Echo Media")).toBe(`${APP}/partners/5?${OPEN}`);
    expect(page.match(/<svg class="event"/g)).toHaveLength(2);
    expect(page).toMatch(/aria-label="13 Mar 2026: [^"]*2 costs of Acme Ads were voided/);
  });

  it("name a partner of a filter that was stopped before, also without any figure", async () => {
    await stopped(60, 4);
    const since = "Delta Reach has been stopped by an operator since 14 Jan 2026.";
    const page = await show(`${OPEN}&partner_id=4`);
    expect(textOf(partOf(page))).toBe(since);
    expect(page).toContain("No clicks or costs match these filters");
    await stopped(1, 4);
    expect(textOf(partOf(await show(`${OPEN}&partner_id=4`)))).toBe(
      "1 event 14 Mar 2026 Delta Reach was stopped by an operator",
    );
    expect(textOf(partOf(await show(OPEN)))).not.toContain("Delta Reach");
  });
});
