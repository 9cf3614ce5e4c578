/** What no HTTP client sends, over bare sockets: bodies that never end, break off or lie about their length, and broken requests. */
import { connect, type Socket } from "node:net";

interface Target {
  base: URL;
  /** A path that takes a JSON body, and a token for it. */
  path: string;
  token: string;
}

/** Sends pieces, one after the other until an answer comes, and gives the first lines of the answer; empty for none. */
function exchange({ base }: Target, pieces: string[], milliseconds: number): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(base.port), base.hostname);
    let answer = "";
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(end, milliseconds);
    socket.on("close", end);
    socket.on("error", end);
    socket.on("data", (data) => {
      answer += data.toString("latin1");
      if (answer.includes("\r\n\r\n")) end();
    });
    const left = pieces.values();
    const next = () => {
      const { value, done } = left.next();
      if (!done && !socket.destroyed) socket.write(value, "latin1", () => setTimeout(next, 1));
    };
    socket.once("connect", next);
  });
}

function head({ base, path, token }: Target, ...headers: string[]): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: ${base.host}`,
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;
const CHUNKED = "transfer-encoding: chunked";

/** What a status must be one of; "none" where the platform may refuse it before the Worker sees it. */
type Expected = (number | "none")[];

function attacks(target: Target): Record<string, [pieces: string[], expected: Expected]> {
  const text = '{"name":"sockets"}';
  return {
    "a body that drips": [[head(target, `content-length: ${text.length}`), ...text], [201]],
    "a body in chunks that drip": [
      [head(target, CHUNKED), ...[...text].map((byte) => `1\r\n${byte}\r\n`), "0\r\n\r\n"],
      [201],
    ],
    "chunks without an end": [[head(target, CHUNKED), ...Array<string>(2_000).fill(chunk(1024))], [413]],
    "one chunk of a gigabyte": [
      [head(target, CHUNKED), "40000000\r\n", ...Array<string>(2_000).fill("x".repeat(1024))],
      [413],
    ],
    "a length past the limit, and no body": [[head(target, "content-length: 65537"), "{"], [413]],
    "two lengths": [
      [head(target, "content-length: 2", "content-length: 50"), "{}"],
      [400, "none"],
    ],
    "a length and chunks": [
      [head(target, "content-length: 2", CHUNKED), "2\r\n{}\r\n0\r\n\r\n"],
      [400, "none"],
    ],
    "a length that is none": [
      [head(target, "content-length: many"), "{}"],
      [400, "none"],
    ],
    "a chunk size that is none": [
      [head(target, CHUNKED), "zz\r\n{}\r\n"],
      [400, "none"],
    ],
    "a NUL in the path": [[`GET /a\0b HTTP/1.1\r\nhost: ${target.base.host}\r\n\r\n`], [400, 404, "none"]],
    "a NUL in a header": [
      [head(target, "x-nul: a\0b"), "{}"],
      [400, "none"],
    ],
    "a header across lines": [
      [head(target, "x-folded: a\r\n b", "content-length: 2"), "{}"],
      [400, "none"],
    ],
    "no request at all": [["\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"], [400, "none"]],
    "a megabyte of one header": [[head(target, `x-long: ${"y".repeat(2 ** 20)}`)], [400, 413, 431, "none"]],
  };
}

/** Every attack that was answered otherwise than it must be. */
export async function attackSockets(target: Target): Promise<string[]> {
  const errors: string[] = [];
  for (const [name, [pieces, expected]] of Object.entries(attacks(target))) {
    const answer = await exchange(target, pieces, 5_000);
    const isOurs = /^x-request-id:/im.test(answer);
    const status = isOurs ? Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]) : "none";
    if (!expected.includes(status)) errors.push(`${name}: answered ${status}, not ${expected.join(" or ")}`);
  }
  return errors;
}

/** Holds requests open whose bodies never come, and breaks off others. What was answered to those held open. */
export async function holdOpen(target: Target, count: number, milliseconds: number): Promise<string[]> {
  const pieces = [head(target, "content-length: 50"), "{"];
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      if (index % 2 === 0) return exchange(target, pieces, milliseconds);
      await exchange(target, pieces, 100);
      return "";
    }),
  );
  return answers.filter((_, index) => index % 2 === 0).map((answer) => answer.slice(0, 12));
}
