/**
 * What Android makes of an `intent:` URL: the rules of `Intent.parseUri` with `URI_INTENT_SCHEME`, as far as they decide which app
 * opens what. They are not those of a URL parser: the fields begin after the last `#` and end before one that begins with `end`, and
 * keys of extras are decoded.
 */
interface Intent {
  /** With its scheme; "" for none. */
  data: string;
  /** Null: any app may open it. */
  package: string | null;
  /** The keys and values of texts. */
  extras: Record<string, string>;
  /** Every other field, such as `action`, `component` and `SEL`. */
  others: string[];
}

/** Throws for what Android does not accept. */
export function parseIntent(uri: string): Intent {
  const intent: Intent = { data: uri, package: null, extras: {}, others: [] };
  const hash = uri.lastIndexOf("#");
  if (!uri.startsWith("intent:") || hash === -1) return intent;
  if (!uri.startsWith("#Intent;", hash)) throw new Error("an old form, which sets whatever it likes");
  let scheme: string | null = null;
  let at = hash + "#Intent;".length;
  while (!uri.startsWith("end", at)) {
    const semicolon = uri.indexOf(";", at);
    if (semicolon === -1) throw new Error("a field without an end");
    const equals = uri.indexOf("=", at);
    const value = equals !== -1 && equals < semicolon ? decode(uri.slice(equals + 1, semicolon)) : "";
    if (uri.startsWith("package=", at)) intent.package = value;
    else if (uri.startsWith("scheme=", at)) scheme = value;
    else if (uri.startsWith("S.", at)) intent.extras[decode(uri.slice(at + 2, equals))] = value;
    else intent.others.push(uri.slice(at, semicolon));
    at = semicolon + 1;
  }
  const data = uri.slice("intent:".length, hash);
  intent.data = scheme === null ? data : `${scheme}:${data}`;
  return intent;
}

/** Decodes what it can; Android replaces the rest. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "\ufffd";
  }
}
