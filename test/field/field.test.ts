/**
 * What networks, files and devices really send. The files beside this one have a line for each case, with the expected result, and
 * this file runs them: to add a case, add a line. A field is separated by a tab, and `#` begins a comment.
 */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chooseTarget, platformOf } from "../../src/domain/engagements/click-target.ts";
import { expectDefined } from "../../src/domain/expect-defined.ts";
import { isPerson } from "../../src/engagement/agents.ts";
import type { InputError } from "../../src/errors.ts";
import { type CsvTable, readTable } from "../../src/http/input/table.ts";
import { TABLE as COSTS } from "../../src/usecases/costs/batch.ts";
import { TABLE as LINKS } from "../../src/workspace/transfer/import-rows.ts";
import { ANDROID, ask, call, DEMO, freshDemo, IPHONE, rows } from "../harness.ts";

const sources = import.meta.glob("./*.tsv", { query: "?raw", import: "default", eager: true });

/** The lines of a file by the names in its first one. `\n` and `\u00a0` in a field are those characters. */
function read<Name extends string>(file: string, ...names: Name[]): Record<Name, string>[] {
  const [header = "", ...lines] = String(sources[`./${file}.tsv`])
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(header.split("\t")).toEqual([...names, "source"]);
  return lines.map((line) => {
    const fields = line.split("\t");
    expect(fields.length, line).toBe(names.length + 1);
    return Object.fromEntries(names.map((name, at) => [name, readEscapes(fields[at] ?? "")])) as Record<
      Name,
      string
    >;
  });
}
const readEscapes = (field: string) =>
  field.replace(/\\(?:u([0-9a-f]{4})|([nrt]))/g, (_, code: string | undefined, letter: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : ({ n: "\n", r: "\r", t: "\t" }[letter] ?? ""),
  );

describe("a user agent", () => {
  it.each(read("agents", "counted", "platform", "agent"))(
    "is counted ($counted) for $platform: $agent",
    (one) => {
      expect([isPerson(one.agent) ? "yes" : "no", platformOf(one.agent)]).toEqual([
        one.counted,
        one.platform,
      ]);
    },
  );
});

describe("the path of a link", () => {
  beforeAll(freshDemo);
  it.each(read("links", "status", "path"))("$path: $status", async ({ status, path }) => {
    const sent = path
      .replaceAll("{token}", DEMO.linkToken)
      .replaceAll("{TOKEN}", DEMO.linkToken.toUpperCase());
    for (const prefix of ["", "/impression"]) {
      const response = await call(prefix + sent, { headers: { "user-agent": IPHONE } });
      const opened = prefix === "" ? 302 : 200;
      expect(response.status, prefix).toBe(status === "302" ? opened : Number(status));
    }
  });
});

describe("a click", () => {
  const destination = {
    defaultUrl: "https://example.com/",
    iosUrl: "https://apps.apple.com/app/id1234567890",
    androidUrl: "https://play.google.com/store/apps/details?id=com.example.demo",
    redirectHosts: ["example.com"],
    redirectSchemes: ["https", "demoapp", "intent"],
  };
  const agents: Record<string, string> = {
    ios: IPHONE,
    android: ANDROID,
    ipad: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_4) AppleWebKit/605.1.15 Mobile/15E148",
    mac: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.2 Safari/605.1.15",
    windows: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/130.0",
    linux: "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0",
  };
  it.each(read("targets", "device", "query", "url", "rejected"))(
    "on $device with $query leads to $url",
    (one) => {
      const platform = platformOf(expectDefined(agents[one.device]));
      const click = { query: new URLSearchParams(one.query), platform, valueFor: () => undefined };
      expect(chooseTarget(destination, click)).toEqual({
        url: one.url,
        notAllowed: one.rejected === "" ? [] : one.rejected.split(","),
      });
    },
  );
});

describe("a heading", () => {
  const tables: Record<string, CsvTable> = { costs: COSTS, links: LINKS };
  it.each(read("headings", "table", "column", "heading"))("of $table: $heading is $column", (one) => {
    const table = tables[one.table];
    if (!table) throw new Error(`There is no table ${one.table}.`);
    // Beside the columns that such a file must have.
    const errors: InputError[] = [];
    const required = Object.keys(COSTS.row.shape).filter((name) => name !== one.column);
    const others = one.table === "links" ? [one.column === "network" ? "partner" : "network"] : required;
    const rows = readTable(
      [`"${one.heading}",${others.join()}`, `x,${others.map(() => "y").join()}`].join("\n"),
      table,
      errors,
    );
    if (one.column === "-")
      expect(errors).toContainEqual({
        param: one.heading.toLowerCase(),
        message: expect.stringMatching(/^is not a known column; remove it(, or rename it to [a-z_, ]+)?$/),
      });
    else expect([errors, rows?.map(({ item }) => item)]).toMatchObject([[], [{ [one.column]: "x" }]]);
  });
});

describe("a file of costs", () => {
  beforeEach(freshDemo);
  it.each(read("files", "rows", "message", "file"))(
    "has $rows costs: $file",
    async ({ rows, message, file }) => {
      const answer = await ask<{ results?: { status: string | number }[] }>("/cost/batch", {
        token: DEMO.costToken,
        body: file.replaceAll("{id}", "field-file-0001"),
        headers: { "content-type": "text/csv", accept: "application/json" },
      });
      const stored = answer.body.results?.filter(({ status }) => status === "ok").length ?? 0;
      expect([stored, answer.status]).toEqual([Number(rows), rows === "0" ? 400 : 200]);
      if (message !== "") expect(JSON.stringify(answer.body)).toContain(message);
    },
  );
});

describe("on the URL of a click", () => {
  beforeAll(freshDemo);
  beforeEach(() => rows("DELETE FROM dropped_parameters"));
  it.each(read("values", "param", "result", "value"))(
    "$param=$value is $result",
    async ({ param, result, value }) => {
      const { body } = await ask<{ dropped: string[] }>(
        `/${DEMO.linkToken}?s2s=1&${param}=${encodeURIComponent(value)}`,
      );
      const reasons = await rows("SELECT param, reason FROM dropped_parameters");
      const isUsed = result === "used";
      expect([body.dropped, reasons]).toEqual([
        isUsed ? [] : [param],
        isUsed ? [] : [{ param, reason: result }],
      ]);
    },
  );
});

describe("in a call", () => {
  beforeEach(freshDemo);
  it.each(read("costs", "param", "status", "result", "value"))(
    "$param=$value: $status $result",
    async (one) => {
      const cost = {
        cost_id: "field-cost-0001",
        cost_type: "cpc",
        cost_currency: "USD",
        cost_amount: "1",
        tag: "field",
      };
      const { status, body } = await ask<{ cost_id: string; amount: string; errors: { param: string }[] }>(
        "/cost",
        {
          token: DEMO.costToken,
          method: "POST",
          body: new URLSearchParams({ ...cost, [one.param]: one.value }),
        },
      );
      expect(status).toBe(Number(one.status));
      if (status === 400) {
        expect(body.errors.map(({ param }) => param)).toEqual([one.param]);
        expect(JSON.stringify(body.errors)).toContain(one.result);
      } else if (one.result !== "")
        expect(one.param === "cost_id" ? body.cost_id : body.amount).toBe(one.result);
    },
  );
});

describe("the template of a partner", () => {
  beforeEach(freshDemo);
  it.each(read("templates", "param", "status", "message", "template"))(
    "$param=$template: $status",
    async (one) => {
      const { status, body } = await ask<{ data: { items: Record<string, string>[] }; errors: object[] }>(
        "/operator/v1/partners/2",
        { method: "PATCH", token: DEMO.operatorToken, json: { [one.param]: one.template } },
      );
      expect(status).toBe(Number(one.status));
      if (status === 200) expect(body.data.items[0]?.[one.param]).toBe(one.template);
      else expect(JSON.stringify(body.errors)).toContain(one.message);
    },
  );
});
