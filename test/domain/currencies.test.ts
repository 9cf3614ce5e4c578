import * as currencies from "dinero.js/currencies";
import { expect, it } from "vitest";
import { CURRENCY_CODES } from "../../src/domain/currencies.ts";

it("knows the currencies that dinero.js knows", () => {
  expect([...CURRENCY_CODES]).toEqual(Object.keys(currencies));
});
