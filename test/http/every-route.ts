/** Every route of the Worker with a sample path, so that tests cover all of them. */

import { DEMO } from "../harness.ts";
import { routes } from "../routes.ts";

/** A rule of alerts and a webhook of the demo app, once `startSessions` was called. The next one is of the other app. */
export const RULE = 101;

const SAMPLES: Record<string, string> = {
  app_token: DEMO.appToken,
  token: DEMO.appToken,
  link_token: DEMO.linkToken,
};

export function samplePath(pattern: string): string {
  const samples = pattern.startsWith("/apps/") ? { ...SAMPLES, id: String(RULE) } : SAMPLES;
  return pattern.replace(/:(\w+)/g, (_, name: string) => samples[name] ?? "1").replace("*", "sample");
}

export const everyRoute = routes.map(({ path, methods, surface }) => ({
  pattern: path,
  path: samplePath(path),
  methods: Object.keys(methods),
  surface,
}));
