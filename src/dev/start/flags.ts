/** The flags of `npm start`: those of `wrangler dev`, which reads them, and `--demo`. */
import { CommandError, oneOf, readFlags, TEXT } from "../command.ts";

export interface Flags {
  persistTo: string | undefined;
  config: string | undefined;
  /** Whether to add the app of a customer's size. */
  isLarge: boolean;
  /** The flags for wrangler. */
  others: string[];
}

export const USAGE = `Usage: npm start
       npm start -- FLAGS

The flags are those of wrangler dev, after the --. The most useful ones:
  --port NUMBER      the port of the server, 8787 by default
  --persist-to DIR   where the data is, .wrangler/state by default
  --ip ADDRESS       the address to listen on, localhost by default
  --config FILE      another wrangler.toml
npm start has one flag of its own:
  --demo large       adds an app with 5,000 links, 24 partners and 90 days to the demo data
All of them: npx wrangler dev --help`;

/** What `npm start` reads by itself. */
const FLAGS = {
  "persist-to": TEXT,
  config: { ...TEXT, short: "c" },
  demo: oneOf("large"),
  port: {
    is: (value: string) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535,
    must: "be a number from 0 to 65535",
  },
  remote: "switch",
} as const;

/** Flags that npm takes for its own if the -- before them is missing. */
const TAKEN = ["port", "ip", "persist-to", "config", "inspector-port", "demo"];

/** `environment` holds the flags that npm took for its own. Throws CommandError before anything is changed. */
export function readStartFlags(args: string[], environment: NodeJS.ProcessEnv): Flags {
  const fail = (problem: string): never => {
    throw new CommandError(`${problem}\n\n${USAGE}`);
  };
  const taken = TAKEN.flatMap((name) => {
    const value = environment[`npm_config_${name.replaceAll("-", "_")}`];
    return value === undefined ? [] : [{ name: `--${name}`, value }];
  });
  if (taken.length > 0) {
    // Without an equals sign, npm passes on the value of a flag as an argument.
    const words = [...args];
    const flags = taken.map(
      ({ name, value }) => `${name} ${value === "true" ? (words.shift() ?? "") : value}`,
    );
    fail(
      `npm did not pass on ${taken.map(({ name }) => name).join(" and ")}. Write -- before the flags: npm start -- ${flags.join(" ").trim()}`,
    );
  }
  const { values, wrong } = readFlags(args, FLAGS);
  if (values.remote) wrong.push("npm start runs only locally, without --remote.");
  if (wrong.length > 0) fail(wrong.join("\n"));
  return {
    persistTo: values["persist-to"],
    config: values.config,
    isLarge: values.demo === "large",
    others: args.filter((arg, index) => !/^--demo(=|$)/.test(arg) && args[index - 1] !== "--demo"),
  };
}
