/** The pages whose layout is checked in every width and color, with the data of the default demo and with the large app. */

import { LARGE } from "../../src/dev/demo/large/links.ts";
import { DEMO } from "../../src/dev/demo.ts";

type Who = "demo" | "operator" | "partner";
const opened = (who: Who, base: string, paths: string[]) =>
  paths.map((path): [Who, string] => [who, base + path]);

const member = (app: string, paths: string[]) => opened("demo", `/apps/${app}`, paths);
const operator = (paths: string[]) => opened("operator", "/operator", paths);
const partner = (paths: string[]) => opened("partner", "/partner", paths);

export const DEFAULT_PAGES = [
  ...opened("demo", "", ["/apps", "/account"]),
  ...member(DEMO.appToken, [
    "",
    "?period=30d",
    "/performance?period=30d&level=1&open=demo1nk001",
    "/performance?period=90d&metric=cost_per_click&group_by=partner",
    "/performance?period=30d&group_by=cost_type&partner_id=1&link=demo1nk001",
    "/performance?from=2020-01-01&to=2020-01-02&currency=CHF",
    "/links?period=30d&open=demo1nk001,demo1nk002,demo1nk003",
    "/links?q=s&level=2&sort=-clicks",
    "/links?q=nothing",
    "/links?open=demo1nk001&selected=demo1nk001,demo1nk002",
    "/links?level=1&selected=all",
    "/links/bulk?action=cost-on&links=demo1nk001,demo1nk003,demo1nk006,nosuchlink",
    "/links/new",
    "/links/new?parent=demo1nk002",
    "/links/import",
    "/links/import?parent=demo1nk002",
    "/links/undo",
    "/links/demo1nk001?period=30d",
    "/links/demo1nk004?from=2020-01-01&to=2020-01-01",
    "/links/demo1nk001/history",
    "/links/demo1nk001/test",
    "/links/demo1nk003/settings",
    "/links/demo1nk001/settings?partner=2&cost=on",
    "/links/demo1nk001/settings?partner=2&cost=off",
    "/partners",
    "/partners/1?period=30d",
    "/alerts",
    "/alerts/new?kind=costs_rejected",
    "/alerts/webhooks/new",
    "/partners/3",
    "/partners/4",
    "/partners/1/rejections",
    "/ignored?period=30d",
  ]),
  ...operator([
    "",
    "/partners",
    "/partners/new",
    "/partners/1",
    "/partners/3",
    "/partners/3/setup",
    "/partners/1/voids?cost_id=demo-spend-00-0",
    "/partners/1/url-prices",
    "/partners/1/costs?match=pending",
    "/partners/1/costs?day=2020-01-01",
    "/rounds/1",
    `/rounds/1/link?app=${DEMO.appToken}&link=${DEMO.testLinkToken}`,
    "/spend",
    "/apps",
    "/apps/new",
    `/apps/${DEMO.appToken}`,
    "/users",
    "/users/1",
    "/users/new",
    "/credentials",
    "/adjustments",
    "/adjustments/new",
    "/alerts",
    "/alerts/new",
    "/alerts/new?kind=spend_above",
    "/alerts/rules/2",
    "/alerts/webhooks/new",
    `/adjustments/new?app_token=${DEMO.appToken}`,
    "/audit",
    "/archive?partner_id=1&cost_id=short",
  ]),
  ...partner(["", "/costs", "/costs?match=lapsed", "/costs/demo-spend-00-0", "/upload", "/setup"]),
];

/** Pages that say what is wrong with their address, with the status of the answer. */
export const REJECTED_PAGES: [Who, string, number][] = [
  ["demo", `/apps/${DEMO.appToken}/performance?group_by=hour&from=x`, 400],
  ["demo", `/apps/${DEMO.appToken}/links?level=9&from=x`, 400],
  ["demo", `/apps/${DEMO.appToken}/links/nosuchlink`, 404],
  ["partner", "/partner/round", 404],
];

export const LARGE_PAGES = [
  ...opened("demo", "", ["/apps"]),
  ...member(LARGE.appToken, [
    "",
    "?period=90d",
    "/performance",
    "/performance?period=90d&level=4",
    "/performance?period=90d&group_by=partner",
    "/links",
    "/links?q=15s+video",
    "/links?sort=-spend&open=atlas01000,atlas01026",
    "/links/atlas01000",
    "/links/atlas02274?period=90d",
    "/links/atlas02274/settings",
    "/partners",
    "/partners/6?period=30d",
    "/ignored?period=30d&group_by=link",
  ]),
  ...operator([
    "",
    "/partners",
    "/partners/6",
    "/partners/9",
    "/partners/16",
    "/partners/16/setup",
    "/partners/6/costs?match=pending",
    "/rounds/2",
    "/spend",
    "/apps",
    `/apps/${LARGE.appToken}`,
    "/credentials",
    "/adjustments",
    "/audit",
  ]),
  ...partner(["", "/costs", "/setup"]),
];
