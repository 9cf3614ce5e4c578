/**
 * The demo data: the SQL with which `npm start` fills an empty local database. Its secrets are public, so it must never reach a
 * deployed database.
 */

import type { Kind } from "../domain/cost-types.ts";
import { DEFAULT_MAX_URL_AMOUNT } from "../domain/money.ts";
import { COST_WINDOW_MS, DAY_MS } from "../domain/time.ts";
import { demoCounts, demoSpend, MORE_LINKS, STOPPED_DAYS, TARGETS } from "./demo/activity.ts";
import { DEMO_ROUND, DEMO_TYPES, demoRound } from "./demo/round.ts";
import { type DemoRow, toStatements, type Values } from "./demo/rows.ts";
import { demoToken, tokenColumns } from "./demo/secrets.ts";

export const DEMO = {
  appToken: "demoapp00001",
  otherAppToken: "otherapp0001",
  linkToken: "demo1nk001",
  /** A link of the partner with an open integration round. */
  testLinkToken: "demo1nk007",
  apiToken: demoToken("api", "DemoUser"),
  operatorToken: demoToken("api", "DemoOperator"),
  costToken: demoToken("live", "AcmeAds"),
  testCostToken: demoToken("test", "CorsairMedia"),
  email: "demo@example.com",
  password: "demo-password",
  operatorEmail: "operator@example.com",
  operatorPassword: "operator-password",
} as const;

/** Precomputed from the passwords and tokens above, because hashing takes a second. A test signs in with them. */
const MEMBER_SECRETS = {
  password_hash: "scrypt$16384$8$5$fjbCfUH1cZvl2h4Fc6w5mA$NfNoyfuOiS0hO5bwBSSIQNPtw8Rt9Pj2uFUHLtXJ_mg",
  sealed:
    "2.BgWRW0ZGsByo0KNLWeuRZPW6XWb376ThK70zJ_LsXoOX5WkGCmlKQY-VtSMe8HIAC1IcSyhD77JmY9Eqd25B_Bc-g84S-UBKEAnzN0hJQoDxnbgs",
};
const OPERATOR_SECRETS = {
  password_hash: "scrypt$16384$8$5$xaxRrZ73c3wfV_mlcjXypQ$PfQrgSlLP6VT1JsrlkR7KtFRDgrRSNgoaEI15Wb4e8I",
  sealed:
    "2.AULHoT0WovmbWtxecd8VK-VxZEaQxvcFAniVS4aYJdNBMuZGLPSId7FOIGw-0Fd8-A5LXzNst_UahbDC5EiAfTo3AR1GyW7FVXOMdA9kGUcDQZop",
};

export const DEMO_PASSWORD_HASHES: Record<string, string> = {
  [DEMO.email]: MEMBER_SECRETS.password_hash,
  [DEMO.operatorEmail]: OPERATOR_SECRETS.password_hash,
};

/** The columns of `ledger_entries` for a click or an impression. */
function engagementColumns(kind: Kind, values: Values) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${kind}_${name}`, value]));
}

/** The statements that fill an empty, migrated database. `now` in milliseconds since 1970. */
export const demoStatements = (now: number): string[] => toStatements(demoRows(now));

/** The rows of the demo data. `now` in milliseconds since 1970. */
export function demoRows(now: number): DemoRow[] {
  const created_at = now - 30 * DAY_MS;
  /** The rows of the ledger, whose engagements are counted like those of a click. */
  const entries: Values[] = [];
  const row = (table: string, values: Values): DemoRow => {
    if (table === "ledger_entries") entries.push(values);
    return { table, values };
  };
  const partner = (id: number, display_name: string, supports_cost_data: number, more: object = {}) =>
    row("partners", {
      id,
      display_name,
      supports_cost_data,
      server_to_server: 0,
      click_parameters: "",
      impression_parameters: "",
      cost_parameters: "",
      max_url_amount: DEFAULT_MAX_URL_AMOUNT,
      created_at,
      ...more,
    });
  const link = (
    id: number,
    tokenText: string,
    label: string,
    parent_id: number | null,
    level: number,
    more: object = {},
  ) =>
    row("links", {
      id,
      token: tokenText,
      app_token: DEMO.appToken,
      parent_id,
      level,
      label,
      created_at,
      ...more,
    });
  const engagement = (cost_id: string, kind: Kind, link_id: number, occurred_at: number) =>
    row("ledger_entries", {
      partner_id: 1,
      cost_id,
      ...engagementColumns(kind, { app_token: DEMO.appToken, link_id, at: occurred_at, cost_data_on: 1 }),
    });
  const spend = demoSpend(now, DEMO.appToken);
  const rows = [
    row("users", {
      id: 1,
      email: DEMO.email,
      role: "member",
      password_hash: MEMBER_SECRETS.password_hash,
      created_at,
    }),
    row("users", {
      id: 2,
      email: DEMO.operatorEmail,
      role: "operator",
      password_hash: OPERATOR_SECRETS.password_hash,
      created_at,
    }),
    row("api_tokens", {
      ...tokenColumns("api", DEMO.apiToken),
      sealed: MEMBER_SECRETS.sealed,
      user_id: 1,
      created_at,
    }),
    row("api_tokens", {
      ...tokenColumns("api", DEMO.operatorToken),
      sealed: OPERATOR_SECRETS.sealed,
      user_id: 2,
      created_at,
      role: "operator",
    }),
    row("apps", {
      token: DEMO.appToken,
      name: "Demo App",
      default_url: "https://example.com/",
      ios_url: "https://apps.apple.com/app/id1234567890",
      android_url: "https://play.google.com/store/apps/details?id=com.example.demo",
      redirect_hosts: JSON.stringify(["example.com", "shop.example.com"]),
      redirect_schemes: JSON.stringify(["https", "demoapp"]),
      created_at,
    }),
    row("apps", {
      token: DEMO.otherAppToken,
      name: "Other App",
      default_url: "https://example.org/",
      redirect_hosts: "[]",
      redirect_schemes: "[]",
      created_at,
    }),
    row("memberships", { user_id: 1, app_token: DEMO.appToken }),
    row("memberships", { user_id: 2, app_token: DEMO.appToken }),
    row("memberships", { user_id: 2, app_token: DEMO.otherAppToken }),
    partner(1, "Acme Ads", 1, {
      integrated_types: DEMO_TYPES,
      click_parameters: "campaign={campaign_name}&adgroup=[adgroup]&gps_adid={gps_adid}&note=%%ACME MACRO%%",
      impression_parameters: "campaign={campaign_name}&adgroup=[adgroup]&gps_adid={gps_adid}",
      cost_parameters:
        "cost_id={acme_cost_id}&cost_type={acme_model}&cost_amount={acme_price}&cost_currency=USD",
      max_url_spend: 1_000 * 100_000,
    }),
    partner(2, "Beacon Network", 0, {
      click_parameters: "cid=[click_id]",
      impression_parameters: "cid=[impression_id]",
    }),
    partner(3, "Corsair Media", 0, {
      server_to_server: 1,
      click_parameters: "sub={sub_id}",
      impression_parameters: "sub={sub_id}",
      cost_parameters: "cost_id={corsair_id}&cost_type=cpi&cost_amount={bid}&cost_currency=EUR",
    }),
    partner(4, "Delta Reach", 1, {
      integrated_types: DEMO_TYPES,
      click_parameters: "campaign={campaign}",
      cost_parameters: "cost_id={delta_id}&cost_type=cpi&cost_amount={payout}&cost_currency=USD",
      stopped_at: now - STOPPED_DAYS * DAY_MS,
    }),
    partner(5, "Echo Media", 1, {
      integrated_types: DEMO_TYPES,
      click_parameters: "campaign={campaign}&creative={creative}",
      impression_parameters: "campaign={campaign}&creative={creative}",
      cost_parameters: "cost_id={echo_id}&cost_type={model}&cost_amount={price}&cost_currency=EUR",
    }),
    link(1, DEMO.linkToken, "Acme", null, 1, { partner_id: 1, cost_switch: 1 }),
    link(2, "demo1nk002", "Spring", 1, 2),
    link(3, "demo1nk003", "Runners", 2, 3),
    link(4, "demo1nk004", "Video 15s", 3, 4),
    link(5, "demo1nk005", "Video 30s", 3, 4),
    link(6, "demo1nk006", "Beacon", null, 1, { partner_id: 2 }),
    link(7, "demo1nk007", "Corsair", null, 1, { partner_id: 3 }),
    link(8, "demo1nk008", "Newsletter", null, 1),
    row("links", {
      id: 9,
      token: "demo1nk009",
      app_token: DEMO.otherAppToken,
      parent_id: null,
      level: 1,
      label: "Secret",
      created_at,
    }),
    ...MORE_LINKS.map(([id, label, parent, level, partner_id, days]) =>
      link(id, `demo1nk0${id}`, label, parent, level, {
        ...(partner_id && { partner_id, cost_switch: 1 }),
        ...(TARGETS[id] && { target: TARGETS[id] }),
        ...(days > 0 && { created_at: now - days * DAY_MS, from_engagement: 1 }),
      }),
    ),
    ...Object.entries({ 1: DEMO.costToken, 4: demoToken("live", "Delta"), 5: demoToken("live", "Echo") }).map(
      ([partner_id, plain]) =>
        row("credentials", {
          ...tokenColumns("live", plain),
          partner_id: Number(partner_id),
          mode: "live",
          cost_types: DEMO_TYPES,
          created_at,
        }),
    ),
    ...demoRound(now, DEMO.appToken, row, engagementColumns),
    row("credentials", {
      ...tokenColumns("test", DEMO.testCostToken),
      partner_id: 3,
      mode: "test",
      round_id: DEMO_ROUND.id,
      cost_types: DEMO_ROUND.costTypes,
      created_at,
    }),
    engagement("demo-click-recent-0001", "click", 1, now - DAY_MS),
    engagement("demo-click-expired-001", "click", 1, now - COST_WINDOW_MS - DAY_MS),
    engagement("demo-view-recent-0001", "impression", 1, now - DAY_MS),
    ...spend.entries.map((values) => row("ledger_entries", values)),
    ...spend.totals,
    ...spend.audience,
  ];
  return [...rows, ...demoCounts(now, DEMO.appToken, entries)];
}
