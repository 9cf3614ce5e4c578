/** What the scripts of package.json share: their help, their flags, and how they end. */
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";

/** A mistake of the person who runs a command, or a state that this person must correct. The message is all that is printed. */
export class CommandError extends Error {}

/**
 * Runs a command: with --help it prints how to use it. Prints the message of a CommandError and sets the exit code to 1. A
 * command never calls `process.exit`: in Node 24 that can wait forever for code that compiles in the background (nodejs/node#64274).
 */
export async function runCommand(usage: string, command: (args: string[]) => Promise<void> | void) {
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
export function runRenderer(name: string, file: string, render: () => string): Promise<void> {
  const path = relative("", file);
  const usage = `Usage: npm run ${name} [-- --check]

Writes ${path}.

  --check  writes nothing, and fails if the file is not up to date`;
  return runCommand(usage, (args) => {
    const { check } = readOnly(usage, args, { check: "switch" }).values;
    const source = render();
    if (!check) writeFileSync(file, source);
    else if (readFileSync(file, "utf8") !== source)
      throw new CommandError(`${path} is not up to date: run npm run ${name}.`);
  });
}

/** What the value of a flag must be: `must` follows the name of the flag in an error. */
type Value = { is: (value: string) => boolean; must: string; short?: string };
export type Flag = "switch" | Value;

/** A folder, a file or a name. */
export const TEXT: Value = { is: (value) => /^[^-]/.test(value), must: "have a value" };
export const COUNT: Value = {
  is: (value) => /^[1-9]\d{0,14}$/.test(value),
  must: "be a whole number from 1",
};
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

/**
 * The flags and the other words of a command that has no other flags. `findProblems` says what is wrong with them together; by default
 * every word is. Throws CommandError, which lists every problem, and the usage.
 */
export function readOnly<Name extends string>(
  usage: string,
  args: string[],
  flags: Record<Name, Flag>,
  findProblems = (words: string[], _values: Partial<Record<Name, string>>): string[] =>
    words.map((word) => `${word} is not a flag.`),
) {
  const { values, words, unknown, wrong } = readFlags(args, flags);
  const problems = [...unknown, ...wrong, ...findProblems(words, values)];
  if (problems.length > 0) throw new CommandError(`${problems.join("\n")}\nNothing was done.\n\n${usage}`);
  return { values, words };
}
