/** Sends over raw sockets what HTTP clients do not: endless or truncated bodies, wrong lengths, and malformed requests. */
import { connect, type Socket } from "node:net";

interface Target {
  base: URL;
  /** A path that accepts a JSON body, and a token for it. */
  path: string;
  token: string;
}

/** Sends the pieces in order until a response arrives. Returns the beginning of the response, or "" without one. */
function exchange({ base }: Target, pieces: string[], milliseconds: number): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(base.port), base.hostname);
    let received = "";
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    const timer = setTimeout(end, milliseconds);
    socket.on("close", end);
    socket.on("error", end);
    socket.on("data", (data) => {
      received += data.toString("latin1");
      if (received.includes("\r\n\r\n")) end();
    });
    const remaining = pieces.values();
    const next = () => {
      const { value, done } = remaining.next();
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
/**
 * KiB of a body that exceeds the Worker's limit of 64 with its last piece. Nothing is sent after that, because the connection closes
 * after the response, and a write to a closed connection fails before the response is read.
 */
const OVER_LIMIT = 65;

/** The allowed statuses; "none" if the platform may reject the request before it reaches the Worker. */
type Expected = (number | "none")[];

function attacks(target: Target): Record<string, [pieces: string[], expected: Expected]> {
  const text = '{"name":"sockets"}';
  return {
    "a body sent byte by byte": [[head(target, `content-length: ${text.length}`), ...text], [201]],
    "a chunk per byte": [
      [head(target, CHUNKED), ...[...text].map((byte) => `1\r\n${byte}\r\n`), "0\r\n\r\n"],
      [201],
    ],
    "chunks without an end": [[head(target, CHUNKED), ...Array<string>(OVER_LIMIT).fill(chunk(1024))], [413]],
    "one chunk of a gigabyte": [
      [head(target, CHUNKED), "40000000\r\n", ...Array<string>(OVER_LIMIT).fill("x".repeat(1024))],
      [413],
    ],
    "a length over the limit without a body": [[head(target, "content-length: 65537"), "{"], [413]],
    "two lengths": [
      [head(target, "content-length: 2", "content-length: 50"), "{}"],
      [400, "none"],
    ],
    "a length and chunks": [
      [head(target, "content-length: 2", CHUNKED), "2\r\n{}\r\n0\r\n\r\n"],
      [400, "none"],
    ],
    "an invalid length": [
      [head(target, "content-length: many"), "{}"],
      [400, "none"],
    ],
    "an invalid chunk size": [
      [head(target, CHUNKED), "zz\r\n{}\r\n"],
      [400, "none"],
    ],
    "a NUL in the path": [[`GET /a\0b HTTP/1.1\r\nhost: ${target.base.host}\r\n\r\n`], [400, 404, "none"]],
    "a NUL in a header": [
      [head(target, "x-nul: a\0b"), "{}"],
      [400, "none"],
    ],
    "a folded header": [
      [head(target, "x-folded: a\r\n b", "content-length: 2"), "{}"],
      [400, "none"],
    ],
    "a TLS handshake": [["\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"], [400, "none"]],
    "a header of one megabyte": [[head(target, `x-long: ${"y".repeat(2 ** 20)}`)], [400, 413, 431, "none"]],
  };
}

/** Runs every attack. Returns a message for each unexpected response. */
export async function attackSockets(target: Target): Promise<string[]> {
  const errors: string[] = [];
  for (const [name, [pieces, expected]] of Object.entries(attacks(target))) {
    const response = await exchange(target, pieces, 5_000);
    const isFromWorker = /^x-request-id:/im.test(response);
    const status = isFromWorker ? Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]) : "none";
    if (!expected.includes(status)) errors.push(`${name}: got ${status}, not ${expected.join(" or ")}`);
  }
  return errors;
}

/** Keeps half of the requests open without their bodies and aborts the others. Returns the status lines of the open ones. */
export async function holdOpen(target: Target, count: number, milliseconds: number): Promise<string[]> {
  const pieces = [head(target, "content-length: 50"), "{"];
  const responses = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      if (index % 2 === 0) return exchange(target, pieces, milliseconds);
      await exchange(target, pieces, 100);
      return "";
    }),
  );
  return responses.filter((_, index) => index % 2 === 0).map((response) => response.slice(0, 12));
}
