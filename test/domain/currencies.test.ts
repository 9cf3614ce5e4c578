import * as currencies from "dinero.js/currencies";
import { expect, it } from "vitest";
import { CURRENCY_CODES } from "../../src/domain/money.ts";

it("lists the same currencies as dinero.js", () => {
  expect([...CURRENCY_CODES]).toEqual(Object.keys(currencies));
});
