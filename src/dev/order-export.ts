/**
 * `npm run export:order -- FILE`: puts the statements of a file that `wrangler d1 export` wrote into an order in which they can
 * be imported. D1 exports a table with its rows before the tables and the unique indexes that these refer to, and triggers before
 * the views that they are on. Rows come before the triggers, which would count them again. Reads the file once for each part,
 * because it can be large.
 */
import { createReadStream, createWriteStream, renameSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError, readOnly, runCommand } from "./command.ts";

/** The first line of each statement of a part. A row is one line. */
const PARTS = [
  /^CREATE TABLE /,
  /^CREATE (?:UNIQUE )?INDEX /,
  /^(?:PRAGMA |DELETE FROM sqlite_sequence|INSERT INTO ")/,
  /^CREATE VIEW /,
  /^CREATE TRIGGER /,
];

async function* ordered(file: string): AsyncGenerator<string> {
  for (const part of PARTS) {
    let isInPart = false;
    for await (const line of createInterface({
      input: createReadStream(file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      if (PARTS.some((one) => one.test(line))) isInPart = part.test(line);
      if (isInPart) yield `${line}\n`;
    }
  }
}

const USAGE = `Usage: npm run export:order -- FILE

Puts the statements of a file that wrangler d1 export wrote into an order in which they can be imported.`;
await runCommand(USAGE, async (args) => {
  const [file = ""] = readOnly(USAGE, args, {}, ({ length }) =>
    length === 1 ? [] : ["Name one file."],
  ).words;
  const temporary = `${file}.ordered`;
  await pipeline(Readable.from(ordered(file)), createWriteStream(temporary)).catch((error) => {
    throw new CommandError(`${file} was not changed. ${error}`);
  });
  renameSync(temporary, file);
});
