/** Every route of the Worker with a sample path, so that tests cover all of them. */

import { DEMO } from "../harness.ts";
import { routes } from "../routes.ts";

/** A rule of alerts of the demo app, once `startSessions` was called. The next one is of the other app. */
export const RULE = 101;

const SAMPLES: Record<string, string> = {
  app_token: DEMO.appToken,
  token: DEMO.appToken,
  link_token: DEMO.linkToken,
  rule_id: String(RULE),
  webhook_id: String(RULE),
};

export function samplePath(pattern: string): string {
  return pattern.replace(/:(\w+)/g, (_, name: string) => SAMPLES[name] ?? "1").replace("*", "sample");
}

export const everyRoute = routes.map(({ path, methods, surface }) => ({
  pattern: path,
  path: samplePath(path),
  methods: Object.keys(methods),
  surface,
}));
