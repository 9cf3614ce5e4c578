/** What is wrong with a partner's templates. The right ones are forms of real networks. */
import { expect, it } from "vitest";
import { judgeTemplates, listMacros, type TemplateName, type Templates } from "../../src/domain/templates.ts";

const NONE: Templates = { click_parameters: "", impression_parameters: "", cost_parameters: "" };
const judge = (param: TemplateName, template: string) => judgeTemplates({ ...NONE, [param]: template });

it.each<[TemplateName, string, ...string[]]>([
  ["click_parameters", "campaign={c}#top", "must not have a #", "; write campaign={c}, or %23"],
  ["click_parameters", "?campaign={c}", "must not begin with ?", "; write campaign={c}"],
  ["click_parameters", "&campaign={c}", "must not begin with &", "; write campaign={c}"],
  ["click_parameters", "https://a.test/x?campaign={c}", "what follows the ?", "; write campaign={c}"],
  ["click_parameters", "campaign={c}&amp;adgroup={a}", "&amp;", "; write campaign={c}&adgroup={a}"],
  ["click_parameters", "campaign={c}&campaign={d}", "campaign only once", "; write campaign={c}"],
  ["click_parameters", "Campaign={c}", "campaign in lower case", "; write campaign={c}"],
  ["click_parameters", "campaign={c}& adgroup={a}", "white space", "; write campaign={c}&adgroup={a}"],
  ["click_parameters", "campaign={c}\u200b", "invisible", "; write campaign={c}"],
  ["click_parameters", "campaign={c}; adgroup={a}", "& before", "; write campaign={c};&adgroup={a}"],
  ["click_parameters", "campaign={c}|adgroup={a}", "& before adgroup", "; write campaign={c}&adgroup={a}"],
  ["click_parameters", "s2s=1", "must not have s2s"],
  ["click_parameters", "cost_id={c}", "move it to cost_parameters"],
  ["impression_parameters", "deep_link={d}", "move it to click_parameters"],
  ["impression_parameters", "redirect_ios={d}", "move it to click_parameters"],
  ["cost_parameters", "cost_id={c}&fallback={d}", "move it to click_parameters"],
  ["cost_parameters", "cost_id=fixed-value-000", "must have a macro as cost_id"],
  ["cost_parameters", "cost_id={c}&cost_type=cpa", "; write cost_type=cpe"],
  ["cost_parameters", "cost_id={c}&cost_type=", "must have a macro or one of"],
  ["cost_parameters", "cost_id={c}&cost_currency=XXY", "ISO 4217"],
  ["cost_parameters", "cost_id={c}&cost_amount=a lot", "must have a macro or a decimal"],
  ["cost_parameters", "cost_id={c}&cost_amount=0,25", "must have a macro or a decimal"],
  ["cost_parameters", "cost_id={c}&cost_amount=0.123456", "at most 5 places"],
  ["cost_parameters", "cost_id={c}&cost_ammount={p}", "must not have cost_ammount"],
  ["cost_parameters", "Cost_ID={c}", "cost_id in lower case", "; write cost_id={c}"],
  ["cost_parameters", "my_cost_id={c}", "must have a cost_id"],
])("%s=%s has one problem", (param, template, ...texts) => {
  const problems = judge(param, template);
  expect(problems).toEqual([{ param, message: expect.any(String) }]);
  for (const text of texts) expect(problems[0]?.message).toContain(text);
});

it("names every problem", () => {
  const messages = judge("click_parameters", "?campaign={c}&amp;campaign={d}&s2s=1#x").map(
    (one) => one.message,
  );
  expect(messages).toHaveLength(4);
});

it.each<[TemplateName, string]>([
  ["click_parameters", "campaign={{campaign.name}}&adgroup={{adset.name}}"],
  ["click_parameters", "campaign=__CAMPAIGN_NAME__&ttclid=__CLICKID__"],
  ["click_parameters", "c=[timestamp]&d=%%CLICK_URL_ESC%%&e=$\u007bSUBID}&f=<click_id>"],
  [
    "click_parameters",
    "fallback=https%3A%2F%2Fa.test&deep_link={d}&redirect_ios={i}&country={geo}&os_name={os}",
  ],
  ["impression_parameters", "country={geo}&platform={os}&user_agent={ua}"],
  ["cost_parameters", "cost_id=__CLICKID__&cost_currency=__CURRENCY__"],
  ["cost_parameters", "cost_id=*|ID|*&cost_type=CPI&cost_currency=usd&cost_amount=0.25"],
  ["cost_parameters", "cost_id={a}-{b}&cost_amount={p}&sub=x"],
  ["cost_parameters", "cost_type=cpc&cost_currency=USD&cost_amount={p}"],
])("%s=%s is right", (param, template) => {
  expect(judge(param, template)).toEqual([]);
});

it("rejects a name that one URL would have twice, and allows it on two URLs", () => {
  const both = { click_parameters: "campaign={c}&x={x}", impression_parameters: "campaign={c}" };
  expect(judgeTemplates({ ...both, cost_parameters: "cost_id={i}" })).toEqual([]);
  expect(judgeTemplates({ ...both, cost_parameters: "cost_id={i}&x={x}" })).toEqual([
    { param: "click_parameters", message: expect.stringContaining("must not have x") },
  ]);
});

it("lists the macros whose form is not known otherwise, decoded", () => {
  const click_parameters = "campaign=%2A%7CC%7C%2A&adgroup={a}&creative=Fixed&other=~x~";
  expect(listMacros({ ...NONE, click_parameters, cost_parameters: "cost_id=!ID!&cost_currency=USD" })).toBe(
    "\n*|C|*\n!ID!\n",
  );
  expect(listMacros(NONE)).toBe("");
});
