/** A rejected form names everything that is wrong with it: nobody corrects a field to learn of the next one. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../account/support.ts";
import { DEMO, freshDemo } from "../harness.ts";

interface FormOf {
  path: string;
  /** What it accepts, for the fields that have no wrong value below, and for those that are not wrong in a case. */
  valid: Record<string, string>;
  /** By field, values that are wrong by themselves: by their form, by a rule, or by what is stored. */
  wrong: Record<string, string[]>;
  /** Fields that can be judged only if others are valid. */
  needs?: Record<string, string[]>;
}

const CONTROL = "a\u0007b";
const LONG = "x".repeat(600);
const APP = `/apps/${DEMO.appToken}`;
const APP_FIELDS = {
  default_url: ["", "ftp://example.com"],
  ios_url: ["x"],
  android_url: ["x"],
  max_links: ["x", "0"],
  max_new_sub_links: ["x"],
  redirect_hosts: ["*.example.com"],
  redirect_schemes: ["javascript", "unknownapp"],
};
const NEW_APP = {
  ...{ name: "A", default_url: "https://example.com/", max_links: "100", max_new_sub_links: "10" },
  ...{ ios_url: "", android_url: "", redirect_hosts: "", redirect_schemes: "https" },
};
const ALERT = { count: "10", percent: "5", partner_id: "" };
const SPEND = { amount: "5", currency: "USD", period: "day", partner_id: "", link_token: "" };

const OPERATOR: FormOf[] = [
  { path: "/operator/apps/new", valid: NEW_APP, wrong: { name: ["", LONG], ...APP_FIELDS } },
  { path: `/operator/apps/${DEMO.appToken}`, valid: NEW_APP, wrong: { name: ["", LONG], ...APP_FIELDS } },
  {
    path: "/operator/users/new",
    valid: { email: "new@example.com", role: "member", sign_in: "password" },
    wrong: { email: ["", "x"], sign_in: ["sso"], apps: ["nosuchapp001"] },
  },
  {
    path: "/operator/partners/1",
    valid: {
      ...{
        display_name: "Acme",
        click_parameters: "a={b}",
        impression_parameters: "",
        max_url_amount: "100",
      },
      ...{ cost_parameters: "cost_id={id}&cost_amount={amount}", max_url_spend: "1000" },
    },
    wrong: {
      display_name: ["", LONG],
      click_parameters: [CONTROL, "cost_id={b}", "cost_amount={b}"],
      impression_parameters: [CONTROL, "cost_amount={b}"],
      cost_parameters: [CONTROL, "cost_id=fixed"],
      max_url_amount: ["x"],
      max_url_spend: ["x", ""],
    },
    // It is required for prices on URLs.
    needs: { max_url_spend: ["cost_parameters"] },
  },
  {
    path: "/operator/partners/2/setup/round",
    valid: { app_token: DEMO.appToken, cost_types: "cpc" },
    wrong: { app_token: ["nosuchapp001"], cost_types: [""] },
  },
  {
    path: "/operator/partners/1/credentials",
    valid: { mode: "live", cost_types: "cpc" },
    wrong: { mode: ["x"], cost_types: [""] },
  },
  {
    path: "/operator/partners/1/url-prices/voids",
    valid: { app_token: DEMO.appToken, day: "2026-03-14", generated: "yes", reason: "junk" },
    wrong: { day: [""], generated: ["x"], reason: ["", LONG] },
  },
  {
    path: "/operator/adjustments/new",
    valid: {
      ...{ app_token: DEMO.appToken, link_token: DEMO.linkToken, day: "2026-03-14", partner_id: "1" },
      ...{ cost_type: "cpc", currency: "USD", amount: "-1", reason: "credit note" },
      idempotency_key: "form-errors-0001",
    },
    wrong: {
      link_token: ["", "nosuchlink"],
      day: ["", "2026-02-30", "2999-01-01"],
      partner_id: ["", "999"],
      cost_type: ["x"],
      currency: ["", "XYZ"],
      amount: ["", "0", "x"],
      reason: ["", LONG],
    },
  },
  {
    path: "/operator/alerts/new",
    valid: { kind: "costs_rejected", ...ALERT },
    wrong: { count: ["", "x", "-1"], percent: ["", "x", "101"], partner_id: ["999"] },
  },
  {
    path: "/operator/alerts/new",
    valid: { kind: "spend_above", ...SPEND, of_app_token: DEMO.appToken },
    wrong: {
      ...{ amount: ["", "x"], currency: ["", "XYZ"], period: ["x"], partner_id: ["999"] },
      of_app_token: ["nosuchapp001"],
    },
  },
];

const MEMBER: FormOf[] = [
  {
    path: `${APP}/alerts/new`,
    valid: { kind: "spend_above", ...SPEND },
    wrong: {
      ...{ amount: ["", "x"], currency: ["", "XYZ"], period: ["x"], partner_id: ["999"] },
      link_token: ["nosuchlink"],
    },
  },
  {
    path: `${APP}/links/new`,
    valid: { network: "New", campaign: "", partner_id: "", cost_data: "", target: "" },
    wrong: {
      network: [CONTROL, "a::b"],
      campaign: [CONTROL],
      partner_id: ["x", "999"],
      cost_data: ["x", "on"],
      target: ["x", "https://other.example/"],
    },
    // Whether cost data can be on is a question of the partner, and both of the place in the tree.
    needs: { partner_id: ["network"], cost_data: ["network", "partner_id"], target: ["network"] },
  },
  {
    path: "/account/password",
    valid: {
      ...{ current_password: DEMO.password, new_password: "another-password-1" },
      repeat_password: "another-password-1",
    },
    wrong: {
      current_password: [""],
      new_password: ["", "short", "123456789012"],
      repeat_password: ["other"],
    },
  },
  {
    path: "/account/tokens",
    valid: { name: "Nightly", scope: "read", app_token: "", days: "90", password: DEMO.password },
    wrong: {
      ...{ name: ["", LONG], scope: ["x"], app_token: ["x", DEMO.otherAppToken], days: ["", "0", "367"] },
      password: [""],
    },
  },
];

/** The fields that a page marks as wrong. */
const marked = (text: string) => [
  ...[...text.matchAll(/name="(\w+)"[^>]*aria-invalid="true"/g)].map(([, name = ""]) => name),
  ...[...text.matchAll(/<fieldset id="(?:[a-z]+-)?([a-z_]+)"[^>]*aria-describedby/g)].map(
    ([, name = ""]) => name,
  ),
];

let browser: Browser;
const send = async ({ path, valid }: FormOf, wrong: Record<string, string>) => {
  const fields = Object.entries({ ...valid, ...wrong }).filter(
    // A box that is not ticked is not sent.
    ([name, value]) => value !== "" || !["cost_types", "apps"].includes(name),
  );
  const { status, text } = await browser.post(path, fields);
  return { status, marked: marked(text) };
};

function check(one: FormOf, email?: string, password?: string) {
  // A rejected form changes nothing.
  beforeAll(async () => {
    await freshDemo();
    browser = await signedIn(email, password);
  });
  const values = Object.entries(one.wrong).flatMap(([name, all]) =>
    all.map((value) => [name, value] as const),
  );
  it.each(values)("finds %s wrong: %j", async (name, value) => {
    const found = await send(one, { [name]: value });
    expect([found.status, found.marked]).toEqual([400, expect.arrayContaining([name])]);
  });

  const most = Math.max(...Object.values(one.wrong).map(({ length }) => length));
  it.each(Array.from({ length: most }, (_, place) => place))(
    "finds all fields wrong, each with its value %i",
    async (place) => {
      // All of them, and then all but those that keep another one from being judged.
      for (const left of [[], ...Object.values(one.needs ?? {})]) {
        const wrong = Object.fromEntries(
          Object.entries(one.wrong)
            .filter(([name]) => !left.includes(name))
            .map(([name, values]) => [name, values[place % values.length] ?? ""]),
        );
        const isJudged = (name: string) => !one.needs?.[name]?.some((needed) => needed in wrong);
        const found = await send(one, wrong);
        const missing = Object.keys(wrong).filter((name) => isJudged(name) && !found.marked.includes(name));
        expect([found.status, missing]).toEqual([400, []]);
      }
    },
  );
}

describe.each(OPERATOR.map((one) => [one.path, one.valid.kind ?? "", one] as const))(
  "%s %s",
  (_path, _kind, one) => check(one, DEMO.operatorEmail, DEMO.operatorPassword),
);
describe.each(MEMBER.map((one) => [one.path, one] as const))("%s", (_path, one) => check(one));
