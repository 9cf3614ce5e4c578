/** The flags of `npm run bench`. */
import { COUNT, TEXT } from "../../src/dev/command.ts";

export const FLAGS = {
  only: TEXT,
  pairs: COUNT,
  connections: {
    is: (value: string) => /^\d+(,\d+)*$/.test(value),
    must: "be numbers with commas between them",
  },
  against: TEXT,
  calls: { is: (value: string) => /^\d\d?$/.test(value), must: "be a number from 0 to 99" },
  turns: COUNT,
  "no-log": "switch",
  growth: "switch",
  profile: "switch",
  "start-up": "switch",
  "sign-in": "switch",
  reports: "switch",
  pages: "switch",
} as const;

export type Flags = Partial<Record<keyof typeof FLAGS, string>>;
