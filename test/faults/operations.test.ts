import { expect, it } from "vitest";
import { everyOperation } from "../security/support.ts";
import { PARTS } from "./each-call.ts";
import { sampled, sampledNames } from "./operations.ts";

it("covers every operation of the router, with a sample for each that writes and no other samples", () => {
  expect(sampled).toHaveLength(everyOperation.length);
  const names = sampled.filter(({ isWrite }) => isWrite).map(({ name }) => name);
  expect(names.filter((name) => !sampledNames.has(name))).toEqual([]);
  expect([...sampledNames].filter((name) => !sampled.some((one) => one.name === name))).toEqual([]);
});

it("has each operation in one part", () => {
  const parts = Object.values(PARTS);
  expect(sampled.filter(({ pattern }) => parts.filter((has) => has(pattern)).length !== 1)).toEqual([]);
});
