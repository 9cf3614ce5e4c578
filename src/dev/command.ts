/** What the commands of src/dev share: their help, their flags, and how they end. */
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";

/** A mistake of the person who runs a command, or a state that this person must correct. The message is all that is printed. */
export class CommandError extends Error {}

/**
 * Runs a command of src/dev: with --help it prints how to use it. Prints the message of a CommandError and sets the exit code to 1. A
 * command never calls `process.exit`: in Node 24 that can wait forever for code that compiles in the background (nodejs/node#64274).
 */
export async function runCommand(
  usage: string,
  command: (args: string[]) => Promise<void> | void,
): Promise<void> {
  const args = process.argv.slice(2);
  try {
    if (args.includes("--help") || args.includes("-h")) console.log(usage);
    else await command(args);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** Runs a command that writes a generated file, or with --check reports whether the file is up to date. */
export const runRenderer = (name: string, file: string, render: () => string): Promise<void> =>
  runCommand(`Usage: npm run ${name} [-- --check]`, (args) => {
    const source = render();
    if (!args.includes("--check")) writeFileSync(file, source);
    else if (readFileSync(file, "utf8") !== source)
      throw new CommandError(`${relative("", file)} is not up to date: run npm run ${name}.`);
  });

/** What the value of a flag must be: `must` follows the name of the flag in an error. */
interface Value {
  is: (value: string) => boolean;
  must: string;
  short?: string;
}
export type Flag = "switch" | Value;

/** A folder, a file or a name. */
export const TEXT: Value = { is: (value) => /^[^-]/.test(value), must: "have a value" };
export const oneOf = (...values: string[]): Value => ({
  is: (value) => values.includes(value),
  must: `be ${values.length > 1 ? "one of " : ""}${values.join(", ")}`,
});

/** The flags and the other words of a command. `wrong` names the values that are not what they must be. */
export function readFlags<Name extends string>(args: string[], flags: Record<Name, Flag>) {
  const entries = Object.entries(flags) as [Name, Flag][];
  const options = entries.map(([name, flag]) => {
    const { short } = flag === "switch" ? {} : flag;
    return [name, { type: flag === "switch" ? "boolean" : "string", ...(short && { short }) }] as const;
  });
  const { values, tokens } = parseArgs({
    args,
    options: Object.fromEntries(options),
    ...{ strict: false, tokens: true },
  });
  return {
    values: values as Partial<Record<Name, string>>,
    words: tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : [])),
    unknown: tokens.flatMap((token) =>
      token.kind === "option" && !(token.name in flags) ? [`${token.rawName} is not a flag.`] : [],
    ),
    wrong: entries.flatMap(([name, flag]) => {
      const value = values[name];
      if (value === undefined || (flag === "switch" && value === true)) return [];
      if (flag === "switch") return [`--${name} has no value.`];
      return typeof value === "string" && flag.is(value) ? [] : [`--${name} must ${flag.must}.`];
    }),
  };
}
