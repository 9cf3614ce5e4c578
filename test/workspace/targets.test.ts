/** The target of a link in the browser: where its clicks lead, its form, and its column in files. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { patchLink, readLink } from "../campaign/support.ts";
import { call, DEMO, freshDemo, IPHONE, rows } from "../harness.ts";
import { shownOf } from "../security/support.ts";
import { confirm, outcomesOf, toFile, upload } from "./files.ts";
import { APP, mainOf, open, textOf } from "./page-text.ts";

const [ACME, SPRING, RUNNERS, PLAIN] = ["demo1nk001", "demo1nk002", "demo1nk003", "demo1nk008"];
const settingsOf = (token: string) => `${APP}/links/${token}/settings`;
const SALE = "https://example.com/sale";
const STORE = "https://apps.apple.com/app/id1234567890";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const textAt = async (path: string) => textOf(mainOf(await open(browser, path)));
const ownTarget = async (token: string) => (await readLink(token)).own.target;
const follow = async (token: string) =>
  (await call(`/${token}`, { headers: { "user-agent": IPHONE } })).headers.get("location");
/** `shown`: the target that the page showed. */
const save = (token: string, fields: Record<string, string>, shown: string | null = null) =>
  browser.post(`${settingsOf(token)}/target`, {
    leads: "own",
    target: "",
    ...shownOf("target", { token, target: shown }),
    ...fields,
  });

describe("the page of a link", () => {
  it("says where clicks lead on each device, and from which link the target comes", async () => {
    expect(await textAt(`${APP}/links/${RUNNERS}`)).toMatch(
      /Target The app's URLs iPhone and iPad https:\/\/apps\.apple\.com\S+ Android https:\/\/play\.google\.com\S+ Computers https:\/\/example\.com\/ /,
    );
    await patchLink(ACME, { target: `${SALE}?c={campaign}&x={sub}` });
    const text = await textAt(`${APP}/links/${RUNNERS}`);
    expect(text).toContain(`Target ${SALE}?c={campaign}&x={sub} from Network Acme`);
    expect(text).toContain(`Every device ${SALE}?c=Spring%20Sale&x=example-sub`);
    expect(text).toMatch(/An example, for a click with campaign=Spring Sale ?, sub=example-sub/);
    await patchLink(SPRING, { target: "" });
    expect(await textAt(`${APP}/links/${RUNNERS}`)).toContain("Target The app's URLs from Campaign Spring");
    await patchLink(RUNNERS, { target: SALE });
    expect(await textAt(`${APP}/links/${RUNNERS}`)).toContain(`Target ${SALE} set on this link`);
  });

  it("warns of a target that the app no longer allows", async () => {
    await patchLink(PLAIN, { target: SALE });
    await rows("UPDATE apps SET redirect_hosts = '[]'");
    expect(await textAt(`${APP}/links/${PLAIN}`)).toContain(
      "The app doesn't allow the scheme or the host of this target",
    );
  });
});

describe("the form of the target", () => {
  it("sets it, returns it to the app's URLs and to inheriting, and the next click follows", async () => {
    const saved = await save(SPRING, { target: SALE });
    expect([saved.status, saved.headers.get("location")]).toEqual([
      303,
      `${settingsOf(SPRING)}?notice=targeted`,
    ]);
    expect(await textAt(`${settingsOf(SPRING)}?notice=targeted`)).toContain("Target saved.");
    expect(await follow(RUNNERS)).toBe(SALE);
    await save(SPRING, { leads: "none" }, SALE);
    expect([await ownTarget(SPRING), await follow(SPRING)]).toEqual(["", STORE]);
    await save(SPRING, { leads: "inherit" }, "");
    expect(await ownTarget(SPRING)).toBeNull();
  });

  it.each([
    [
      "https://evil.test/",
      "URL must have an allowed host, not evil.test; the app allows example.com and shop.example.com",
    ],
    ["https://example.com/{a b}", "URL must have one name in each pair of braces"],
    ["", "URL must not be empty."],
  ])("keeps what was entered, with a summary that links to the field: %s", async (target, sentence) => {
    const rejected = await save(PLAIN, { target });
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain('<a href="#target">');
    expect(textOf(rejected.text)).toContain(sentence);
    expect(rejected.text).toContain(`value="${target}"`);
    expect(await ownTarget(PLAIN)).toBeNull();
  });

  it("does not replace what somebody else saved meanwhile, and can then", async () => {
    await patchLink(PLAIN, { target: SALE });
    const conflict = await save(PLAIN, { target: `${SALE}/2` });
    expect(conflict.status).toBe(409);
    expect(textOf(conflict.text)).toContain(`Target: ${SALE} → ${SALE}/2.`);
    expect((await save(PLAIN, { target: `${SALE}/2` }, SALE)).status).toBe(303);
    expect(await ownTarget(PLAIN)).toBe(`${SALE}/2`);
  });

  it("is in the history of the link", async () => {
    await save(PLAIN, { target: SALE });
    await save(PLAIN, { leads: "inherit" }, SALE);
    const text = await textAt(`${APP}/links/${PLAIN}/history`);
    expect(text).toContain(`set its target to “${SALE}”`);
    expect(text).toContain(`set its target to inherit, instead of “${SALE}”`);
  });
});

describe("a file of links", () => {
  const importFile = async (...lines: string[]) =>
    confirm(browser, await upload(browser, toFile(...(lines as [string]))));

  it("sets targets of links that it creates and that it names by token, and can be undone", async () => {
    const header = "link_token,network,campaign,target";
    const rejected = [`${PLAIN},,,https://evil.test/`, ",Bad,,demoapp://{x}", ",Worse,,javascript:alert(1)"];
    expect(
      outcomesOf(await upload(browser, toFile(header, ...rejected))).map(([, , state, detail]) => [
        state,
        detail,
      ]),
    ).toEqual([
      ["rejected", expect.stringContaining("Target must have an allowed host, not evil.test")],
      ["rejected", expect.stringContaining("Target must not have {x} in its scheme, host or port")],
      ["rejected", expect.stringContaining("Target must have an allowed scheme, not javascript")],
    ]);
    const lines = [`${SPRING},,,${SALE}`, `${RUNNERS},,,none`, `,New,Sub,${SALE}/new`];
    const result = await importFile(header, ...lines);
    expect(outcomesOf(result).map(([, name, state, detail]) => [name, state, detail])).toMatchObject([
      ["Acme > Spring", "changed", `Target: inherited → ${SALE}.`],
      ["Acme > Spring > Runners", "changed", "Target: inherited → the app's URLs."],
      ["New > Sub", "created", expect.anything()],
    ]);
    const [sub] = await rows<{ token: string }>("SELECT token FROM links WHERE label = 'Sub'");
    expect([await follow(SPRING), await follow(RUNNERS), await follow(sub?.token ?? "")]).toEqual([
      SALE,
      STORE,
      `${SALE}/new`,
    ]);
    const [change = ""] = /name="change" value="([^"]+)"/.exec(result.text)?.slice(1) ?? [];
    await browser.post(`${APP}/links/undo`, { change });
    expect([await ownTarget(SPRING), await ownTarget(RUNNERS), await follow(SPRING)]).toEqual([
      null,
      null,
      STORE,
    ]);
  });

  it("that was exported comes back without a change", async () => {
    await patchLink(SPRING, { target: SALE });
    await patchLink(RUNNERS, { target: "" });
    const { text } = await browser.get(`${APP}/links.csv`);
    expect(text).toContain(`,no,${SALE},`);
    expect(text).toContain(",no,none,");
    const checked = await upload(browser, text);
    expect(new Set(outcomesOf(checked).map(([, , state]) => state))).toEqual(new Set(["same"]));
  });
});

it("a new link gets a target in the form that creates it, or an error at its field", async () => {
  const post = (target: string, name: string) =>
    browser.post(`${APP}/links/new`, {
      network: name,
      partner_id: "",
      cost_data: "",
      target,
      action: "create",
    });
  await post("https://evil.test/", "Bad");
  expect(await rows("SELECT 1 FROM links WHERE label = 'Bad'")).toEqual([]);
  await post(SALE, "Good");
  expect(await rows("SELECT target FROM links WHERE label = 'Good'")).toEqual([{ target: SALE }]);
});

it("the demo has two links with a target of their own", async () => {
  expect(
    await rows("SELECT token FROM links WHERE app_token = ? AND target IS NOT NULL", DEMO.appToken),
  ).toHaveLength(2);
});
