import { expect, it } from "vitest";
import { nameBrowser } from "../../src/auth/sign-in/browser-name.ts";
import type { Context } from "../../src/env.ts";
import { ANDROID, IPHONE } from "../harness.ts";

it.each([
  ["Safari on iPhone", IPHONE],
  ["Chrome on Android", ANDROID],
  ["Firefox on Windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  [
    "Edge on Windows",
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
  ],
  [
    "Opera on macOS",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/140.0.0.0 Safari/537.36 OPR/120.0",
  ],
  ["Chrome on iPad", "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) CriOS/140.0 Mobile/15E148 Safari/604.1"],
  [
    "Samsung Internet on Android",
    "Mozilla/5.0 (Linux; Android 14) SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36",
  ],
  ["Chrome on ChromeOS", "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/140.0.0.0 Safari/537.36"],
  [
    "Chrome on Linux",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36",
  ],
  ["Unknown browser", "curl/8.5.0"],
  ["Unknown browser", '<script>alert("x")</script>'],
  ["Unknown browser", undefined],
])("names %s", (name, agent) => {
  const headers: Record<string, string> = agent === undefined ? {} : { "user-agent": agent };
  expect(nameBrowser({ request: new Request("https://a.test", { headers }) } as unknown as Context)).toBe(
    name,
  );
});
