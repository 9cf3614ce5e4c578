/** The flags of `npm start`: those of `wrangler dev`, and `--demo`. Mistakes are explained before anything is changed. */
import { parseArgs } from "node:util";
import { CommandError } from "../command.ts";
import { wrangler } from "../wrangler.ts";

export interface Flags {
  persistTo: string | undefined;
  config: string | undefined;
  /** Whether to add the app of a customer's size. */
  isLarge: boolean;
  /** The flags for wrangler. */
  others: string[];
}

type Options = Record<string, { type: "string" | "boolean"; short?: string; multiple?: boolean }>;

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

/** Enough for most starts. The whole list takes wrangler a second. */
const COMMON: Options = {
  port: { type: "string" },
  ip: { type: "string" },
  "persist-to": { type: "string" },
  config: { type: "string", short: "c" },
  "inspector-port": { type: "string" },
  demo: { type: "string" },
};

/** `environment` holds the flags that npm took for its own. Throws CommandError. */
export function readFlags(args: string[], environment: NodeJS.ProcessEnv): Flags {
  const taken = Object.keys(COMMON).flatMap((name) => {
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
    throw new CommandError(`npm did not pass on ${names}. ${explainDashes(flags.join(" ").trim())}`);
  }
  const parsed = parse(args, COMMON) ?? parseStrictly(args, readOptions());
  if (parsed.remote) throw new CommandError(`npm start runs only locally, without --remote.\n\n${USAGE}`);
  if (parsed.demo !== undefined && parsed.demo !== "large")
    throw new CommandError(`The only value of --demo is large.\n\n${USAGE}`);
  const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    persistTo: textOf(parsed["persist-to"]),
    config: textOf(parsed.config),
    isLarge: parsed.demo === "large",
    others: args.filter((arg, index) => !/^--demo(=|$)/.test(arg) && args[index - 1] !== "--demo"),
  };
}

function explainDashes(flags: string): string {
  return `Write -- before the flags: npm start -- ${flags}\n\n${USAGE}`;
}

/** undefined if there is a mistake or a flag that is not an option. */
function parse(args: string[], options: Options): Record<string, unknown> | undefined {
  try {
    return parseArgs({ args, options, allowNegative: true }).values;
  } catch {
    return undefined;
  }
}

function parseStrictly(args: string[], options: Options): Record<string, unknown> {
  // The parser takes no value for a boolean, but wrangler accepts true and false.
  const plain = args.map((arg) => arg.replace(/^(--[\w-]+)=(true|false)$/, "$1"));
  try {
    return parseArgs({ args: plain, options, allowNegative: true }).values;
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") {
      const [, value] = /'([^']*)'/.exec(message) ?? [];
      throw new CommandError(`npm start does not know what ${value} is for. ${explainDashes("--port 9000")}`);
    }
    // Its first sentence names the flag. The others are about positional arguments.
    throw new CommandError(`${message.split(". ")[0]}.\n\n${USAGE}`);
  }
}

/** Reads the flags from the help of wrangler, which lists each on its own line with its type. */
function readOptions(): Options {
  const { stdout } = wrangler(["dev", "--help"]);
  const options: Options = { demo: { type: "string" } };
  for (const line of stdout.split("\n")) {
    const [, short, names] = /^ +(?:-(\w), )?(--[\w-]+(?:, --[\w-]+)*) {2,}/.exec(line) ?? [];
    for (const name of names?.split(", ") ?? []) {
      options[name.slice(2)] = {
        type: line.includes("[boolean]") ? "boolean" : "string",
        ...(short && { short }),
        ...(line.includes("[array]") && { multiple: true }),
      };
    }
  }
  if (!options["persist-to"]) throw new Error("The help of wrangler dev has no flags.");
  return options;
}
