/** Reads JSON more exactly than `JSON.parse`, which keeps the last of two equal names and turns `1e2` into 100. In linear time. */

export interface Json {
  value: unknown;
  /** The paths of names that an object has twice, such as `costs.0.tag`. */
  repeated: string[];
}

/** A more precise report of a body with many repeats helps nobody. */
const MAX_REPEATED = 20;

/**
 * Parses a text. The numbers with the name `asWritten` become the text that they have in it. Returns undefined if the text is not
 * JSON.
 */
export function parseJson(text: string, asWritten?: string): Json | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { repeated, numbers } = scan(text, asWritten);
  if (numbers.length === 0) return { value, repeated };
  let end = 0;
  const parts = numbers.flatMap(([from, to]) => {
    const part = [text.slice(end, from), '"', text.slice(from, to), '"'];
    end = to;
    return part;
  });
  return { value: JSON.parse(parts.join("") + text.slice(end)), repeated };
}

interface Level {
  /** The names so far; undefined in a list. */
  names?: Set<string>;
  /** The present name or position. */
  at: string | number;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Reads a text that is JSON. */
function scan(
  text: string,
  asWritten?: string,
): { repeated: string[]; numbers: [from: number, to: number][] } {
  const levels: Level[] = [];
  const repeated = new Set<string>();
  const numbers: [number, number][] = [];
  let isName = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      levels.push(token === "{" ? { names: new Set(), at: "" } : { at: 0 });
      isName = token === "{";
    } else if (token === "}" || token === "]") {
      levels.pop();
      isName = false;
    } else if (token === ",") {
      isName = level?.names !== undefined;
      if (typeof level?.at === "number") level.at++;
    } else if (token === ":") {
      isName = false;
    } else if (isName && level?.names) {
      level.at = token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1);
      if (level.names.has(level.at) && repeated.size < MAX_REPEATED)
        repeated.add(levels.map(({ at }) => at).join("."));
      level.names.add(level.at);
    } else if (level?.names && level.at === asWritten && /^[-\d]/.test(token)) {
      numbers.push([index, index + token.length]);
    }
  }
  return { repeated: [...repeated], numbers };
}
