/** The flags of `npm start`: those of `wrangler dev`, which reads them, and `--demo`. */
import { parseArgs } from "node:util";
import { CommandError } from "../command.ts";

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
Another one is not of wrangler:
  --demo large       adds an app with 5,000 links, 24 partners and 90 days to the demo data
All of them: npx wrangler dev --help`;

/** What `npm start` reads by itself. */
const OPTIONS = {
  "persist-to": { type: "string" },
  config: { type: "string", short: "c" },
  demo: { type: "string" },
  port: { type: "string" },
  remote: { type: "boolean" },
} as const;

/** Flags that npm takes for its own if the -- before them is missing. */
const TAKEN = ["port", "ip", "persist-to", "config", "inspector-port", "demo"];

/** `environment` holds the flags that npm took for its own. Throws CommandError before anything is changed. */
export function readFlags(args: string[], environment: NodeJS.ProcessEnv): Flags {
  const taken = TAKEN.flatMap((name) => {
    const value = environment[`npm_config_${name.replaceAll("-", "_")}`];
    return value === undefined ? [] : [{ name, value }];
  });
  if (taken.length > 0) {
    // Without an equals sign, npm passes on the value of a flag as an argument.
    const values = [...args];
    const flags = taken.map(
      ({ name, value }) => `--${name} ${value === "true" ? (values.shift() ?? "") : value}`,
    );
    const names = taken.map(({ name }) => `--${name}`).join(" and ");
    throw new CommandError(
      `npm did not pass on ${names}. Write -- before the flags: npm start -- ${flags.join(" ").trim()}\n\n${USAGE}`,
    );
  }
  const { values } = parseArgs({ args, options: OPTIONS, strict: false });
  if (values.remote) throw new CommandError(`npm start runs only locally, without --remote.\n\n${USAGE}`);
  const textOf = (name: "persist-to" | "config" | "demo" | "port") => {
    const value = values[name];
    if (value === undefined || (typeof value === "string" && /^[^-]/.test(value))) return value;
    throw new CommandError(`--${name} needs a value.\n\n${USAGE}`);
  };
  const demo = textOf("demo");
  if (demo !== undefined && demo !== "large")
    throw new CommandError(`The only value of --demo is large.\n\n${USAGE}`);
  const port = textOf("port");
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new CommandError(`--port must be a number from 0 to 65535.\n\n${USAGE}`);
  return {
    persistTo: textOf("persist-to"),
    config: textOf("config"),
    isLarge: demo === "large",
    others: args.filter((arg, index) => !/^--demo(=|$)/.test(arg) && args[index - 1] !== "--demo"),
  };
}
