/** What people enter for a country. */
import { expect, it } from "vitest";
import { findCountry } from "../../src/pages/costs/audience.ts";

it.each([
  ["DE", "DE"],
  ["de", "DE"],
  [" germany ", "DE"],
  ["South Korea", "KR"],
  ["UK", "GB"],
  ["USA", "US"],
  ["myanmar", "MM"],
  ["Saint Lucia", "LC"],
  ["trinidad and tobago", "TT"],
  ["Cote d'Ivoire", "CI"],
  ["Unknown", "XX"],
])("%j is %s", (text, code) => {
  expect(findCountry(text)).toEqual({ code });
});

it.each([
  ["germani", "Germany or DE"],
  ["korea", "North Korea, South Korea or KP"],
  ["Federal Republic of Brazil", "Brazil or BR"],
  ["ZZ", "Germany or DE"],
  ["DE1", "Germany or DE"],
  ["Дde", "Germany or DE"],
  ["日本", "Germany or DE"],
])("%j is no country, with examples: %s", (text, examples) => {
  const error = `must be a full name in English or a code of two letters, for example ${examples}`;
  expect(findCountry(text)).toEqual({ error });
});
