/** What waits for an operator because of what came on URLs of links. */
import { OTHER_APP_DAYS } from "../../../db/operator/other-apps.ts";
import type { Start, StartPartner } from "../../../db/operator/start.ts";
import { UNUSUAL_TIMES, USUAL_DAYS } from "../../../domain/figures/url-prices.ts";
import { formatMoney } from "../../../domain/money.ts";
import { DAY_MS } from "../../../domain/time.ts";
import { describeDay, showAmount, showList, showPlural } from "../../../pages/locale.ts";
import type { Step } from "../partners/next-step.ts";

/** More items of a kind, or more names in one, than this are counted. */
export const FEW = 3;

const NOUNS: [string, string] = ["partner", "partners"];
/** The list of the partners that have the same item. */
export const list = (what: string, state = "") => ({
  what,
  nouns: NOUNS,
  href: `/operator/partners${state}`,
});
type Found = Step & { what: string; since: number; kind: ReturnType<typeof list> };

/** Days of prices on URLs: near their limit, or far above the days before. Each as the one with most, and the number of the others. */
export function urlPriceItems({ urlPrices }: Start, { id }: StartPartner): Found[] {
  const own = urlPrices.filter(({ partnerId }) => partnerId === id);
  const near = own.filter(({ limit }) => limit !== undefined);
  const unusual = own.filter(({ limit }) => limit === undefined);
  const found = (
    some: typeof own,
    how: (one: (typeof own)[number]) => string,
  ): Pick<Found, "what" | "since">[] => {
    const [first, ...others] = some.toSorted((one, other) => (one.counted > other.counted ? -1 : 1));
    if (!first) return [];
    const { appName, currency, day, counted } = first;
    const more = others.length > 0 ? `; and ${others.length} more` : "";
    return [
      {
        what: `prices on URLs of ${appName} add up to ${moneyOf(counted, currency)} on ${describeDay(day)} (UTC), ${how(first)}${more}`,
        since: DAY_MS * Math.min(...some.map((one) => one.day)),
      },
    ];
  };
  return [
    ...found(near, ({ limit = 0n, currency }) => `and from ${moneyOf(limit, currency)} on they are held`).map(
      (item) => ({
        ...item,
        ...{ text: "Check the limit", href: `/operator/partners/${id}#templates` },
        kind: list("are near the limit of a day for prices on URLs"),
      }),
    ),
    ...found(unusual, ({ usual = 0n, currency }) =>
      usual === 0n
        ? `and most of the ${USUAL_DAYS} days before have none`
        : `more than ${UNUSUAL_TIMES} times the ${moneyOf(usual, currency)} that is usual in the ${USUAL_DAYS} days before`,
    ).map((item) => ({
      ...item,
      ...{ text: "Check, and void what is wrong", href: `/operator/partners/${id}/url-prices` },
      kind: list("have unusually high prices on URLs"),
    })),
  ];
}

const moneyOf = (units: bigint, currency: string) => showAmount(formatMoney(units), currency);

/** Cost IDs that two apps have: the second one gets no cost. */
export function otherAppItems({ otherApps }: Start, { id }: StartPartner): Found[] {
  const own = otherApps.filter(({ partnerId }) => partnerId === id);
  if (own.length === 0) return [];
  const count = own.reduce((sum, one) => sum + one.count, 0);
  const names = [...new Set(own.map(({ appName }) => appName))];
  const where = showList(
    names.length > FEW ? [...names.slice(0, FEW), `${names.length - FEW} more apps`] : names,
  );
  return [
    {
      what: `${showPlural(count, "click or impression", "clicks and impressions")} of ${where} in ${OTHER_APP_DAYS} days had a cost ID that another app had first, so no cost can match them`,
      since: DAY_MS * Math.min(...own.map(({ since }) => since)),
      ...{ text: "Read what to do", href: "/docs/operators#respond-to-incidents" },
      kind: list("have cost IDs in two apps"),
    },
  ];
}
