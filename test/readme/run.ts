/** `npm run check:readme`: check.ts says what it does. */
import { readOnly, runCommand } from "../../src/dev/command.ts";
import { DOCUMENTS, PAGES } from "./documents.ts";

const USAGE = `Usage: npm run check:readme [-- --write] [DOCUMENT...]

Runs the commands of the READMEs and of /docs and compares their output, and the samples of the API reference. With documents, such as README.md or ${PAGES}/archive.md, only their commands.

  --write  puts the output into the documents instead`;

await runCommand(USAGE, async (args) => {
  const { values, words } = readOnly(USAGE, args, { write: "switch" }, (given) =>
    given.filter((word) => !DOCUMENTS.includes(word)).map((word) => `${word} is not one of the documents.`),
  );
  const { checkDocuments } = await import("./check.ts");
  if (!(await checkDocuments(words, values.write !== undefined))) process.exitCode = 1;
});
