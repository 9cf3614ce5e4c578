/** The limits of a request body: size and content type. */
import { beforeAll, describe, expect, it } from "vitest";
import { LINKS } from "../campaign/support.ts";
import { type Call, DEMO, freshDemo, rejection } from "../harness.ts";

beforeAll(freshDemo);

const KIB = 1024;
const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const TOO_LARGE = { status: 413, code: "payload_too_large", params: [] };

/** A JSON body of exactly this many bytes. Its name is too long for a link. */
const bodyOf = (bytes: number) => `{"name":"${"x".repeat(bytes - 11)}"}`;

const streamOf = (text: string) => new Response(text).body ?? "";

const write = (options: Call) =>
  rejection(LINKS, { method: "POST", token: DEMO.apiToken, headers: json, ...options });

describe("a JSON body", () => {
  it("of exactly 64 KiB is read", async () => {
    expect(bodyOf(64 * KIB)).toHaveLength(64 * KIB);
    expect(await write({ body: bodyOf(64 * KIB) })).toMatchObject({ status: 400, params: ["name"] });
  });

  it("of 64 KiB and one byte, or of 65 KiB, is rejected with 413", async () => {
    expect(await write({ body: bodyOf(64 * KIB + 1) })).toEqual(TOO_LARGE);
    expect(await write({ body: bodyOf(65 * KIB) })).toEqual(TOO_LARGE);
  });

  it("is rejected with 413 by its size if Content-Length is missing", async () => {
    const body = streamOf(bodyOf(65 * KIB));
    expect(await write({ body })).toEqual(TOO_LARGE);
  });

  it("is rejected with 413 by its size if Content-Length is smaller", async () => {
    const headers = { ...json, "content-length": "20" };
    expect(await write({ body: streamOf(bodyOf(65 * KIB)), headers })).toEqual(TOO_LARGE);
  });

  it("is rejected with 413 unparsed if Content-Length is more than 64 KiB", async () => {
    const headers = { ...json, "content-length": String(65 * KIB) };
    expect(await write({ body: streamOf('{"name":"a"}'), headers })).toEqual(TOO_LARGE);
  });

  it("is measured in bytes, not in characters", async () => {
    const body = `{"name":"${"é".repeat(32 * KIB)}"}`;
    expect(body.length).toBeLessThan(33 * KIB);
    expect(await write({ body })).toEqual(TOO_LARGE);
  });

  it("is rejected with 413 on an update too", async () => {
    const path = `${LINKS}/${DEMO.linkToken}`;
    const options = { method: "PATCH", token: DEMO.apiToken, headers: json, body: bodyOf(65 * KIB) };
    expect(await rejection(path, options)).toEqual(TOO_LARGE);
  });

  it("of another content type is rejected with 415 on an update too", async () => {
    const path = `${LINKS}/${DEMO.linkToken}`;
    const options = { method: "PATCH", token: DEMO.apiToken, headers: form, body: "archived=true" };
    expect(await rejection(path, options)).toMatchObject({ status: 415, code: "unsupported_media_type" });
  });
});

describe("the form body of a cost", () => {
  const send = (options: Call) =>
    rejection("/cost", { method: "POST", token: DEMO.costToken, headers: form, ...options });

  it("of 65 KiB is rejected with 413 for any Content-Length", async () => {
    const body = `tag=${"x".repeat(65 * KIB)}`;
    expect(await send({ body })).toEqual(TOO_LARGE);
    expect(await send({ body: streamOf(body) })).toEqual(TOO_LARGE);
    expect(await send({ body: streamOf(body), headers: { ...form, "content-length": "5" } })).toEqual(
      TOO_LARGE,
    );
  });

  it("of another content type is rejected with 415", async () => {
    const text = { "content-type": "text/plain" };
    expect(await send({ body: "{}", headers: text })).toMatchObject({ status: 415 });
  });
});

it("returns 401 instead of 413 for a body that is too large without a valid token", async () => {
  const unknown = DEMO.apiToken.replace("DemoUser", "demoUser");
  expect(await write({ body: bodyOf(65 * KIB), token: unknown })).toMatchObject({ status: 401 });
});
