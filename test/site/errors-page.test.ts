import { expect, it } from "vitest";
import { ERRORS } from "../../src/errors.ts";
import { ask, call, ORIGIN, type ProblemBody } from "../harness.ts";

it("explains every error code at its own anchor", async () => {
  const response = await call("/docs/errors");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const page = await response.text();
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const section = page.match(new RegExp(`<section[^>]* id="${code}"[^]*?</section>`))?.[0];
    expect(section, code).toContain(String(status));
  }
  expect(page.match(/<section/g)).toHaveLength(Object.keys(ERRORS).length);
});

it("is the page that the type of a problem document links to", async () => {
  const { body } = await ask<ProblemBody>("/nothing/here");
  const type = new URL(body.type);
  expect(type.origin).toBe(ORIGIN);
  const page = await (await call(type.pathname)).text();
  expect(page).toContain(`id="${type.hash.slice(1)}"`);
});
