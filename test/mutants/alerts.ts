/** Mutants of alerts: what their rules find, what a run stores, and their emails. */
import type { Mutant } from "./mutant.ts";

export const alerts: Mutant[] = [
  {
    name: "the limit of rejected costs is one of a run and not of an hour",
    file: "src/domain/alerts/rules.ts",
    search: "newRejected > count * hours",
    replace: "newRejected > count",
    tests: ["test/alerts/kinds.test.ts", "test/alerts/model.test.ts"],
  },
  {
    name: "spend of the day before is looked at for an hour only",
    file: "src/domain/alerts/rules.ts",
    search: "periodUntil(period, now - DAY_MS)",
    replace: "periodUntil(period, now - HOUR_MS)",
    tests: ["test/alerts/kinds.test.ts", "test/alerts/model.test.ts"],
  },
  {
    name: "a rule of a partner does not replace the one of all partners",
    file: "src/domain/alerts/rules.ts",
    search: "partnerOf(other) !== undefined && partnerOf(other) === data.partner_id",
    replace: "partnerOf(other) === null",
    tests: ["test/alerts/kinds.test.ts", "test/alerts/model.test.ts"],
  },
  {
    name: "a second run in the same hour counts again",
    file: "src/domain/alerts/activity.ts",
    search: "last.hour >= hour",
    replace: "last.hour > hour",
    tests: ["test/alerts/kinds.test.ts", "test/alerts/model.test.ts"],
  },
  {
    name: "a run that was overtaken overwrites the activity of a later one",
    file: "src/db/alerts/activity.ts",
    search: "WHERE excluded.hour > ${hour}",
    replace: "WHERE true",
    tests: ["test/alerts/kinds.test.ts", "test/alerts/model.test.ts"],
  },
  {
    name: "a rule of spend adds up every currency",
    file: "src/db/alerts/spend.ts",
    search: " AND q.currency = ${from.currency}",
    replace: "",
    tests: ["test/alerts/kinds.test.ts", "test/alerts/model.test.ts"],
  },
  {
    name: "a partner whose links are all archived is silent",
    file: "src/db/alerts/activity.ts",
    search: " AND ${l.costSwitch} = 1 AND ${l.archived} = 0",
    replace: " AND ${l.costSwitch} = 1",
    tests: ["test/alerts/kinds.test.ts", "test/alerts/model.test.ts"],
  },
  {
    name: "the cron of each minute closes an alert of a database that it does not look at",
    file: "src/alerts.ts",
    search: ' && subject === "database DB"',
    replace: "",
    tests: ["test/alerts/kinds.test.ts"],
  },
  {
    name: "an email is tried for longer than a day",
    file: "src/db/alerts/emails.ts",
    search: " AND ${a.openedAt} > ${now} - ${sql.raw(String(TRIED_MS))}",
    replace: "",
    tests: ["test/alerts/emails.test.ts"],
  },
];
