/** Names a browser in words that its user recognizes, for the audit log and the list of sessions. */
import type { Context } from "../../env.ts";

// Browsers that are based on another one name that one too, so they come first.
const BROWSERS: [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b((Headless)?Chrome|CriOS)\//],
  ["Safari", /\bSafari\//],
];
const SYSTEMS: [name: string, pattern: RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
];

/** Such as `Firefox on Windows`. */
export function nameBrowser({ request }: Context): string {
  const agent = request.headers.get("user-agent") ?? "";
  const nameIn = (names: typeof BROWSERS) => names.find(([, pattern]) => pattern.test(agent))?.[0];
  const [browser, system] = [nameIn(BROWSERS) ?? "Unknown browser", nameIn(SYSTEMS)];
  return system ? `${browser} on ${system}` : browser;
}
