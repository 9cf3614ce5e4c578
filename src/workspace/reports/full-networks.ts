/** Findings about networks, or the app, whose URLs named so many new links that few more or none are created. */
import type { FullApp, FullNetwork } from "../../db/links/sub-links/limits.ts";
import { isNearlyFull, MAX_FROM_ENGAGEMENTS } from "../../domain/engagements/sub-links.ts";
import { showCount } from "../../pages/locale.ts";
import { unusedPath } from "../bulk/unused.ts";
import type { Finding } from "./finding.ts";

export interface Full {
  fullNetworks: FullNetwork[];
  fullApp: FullApp[];
}

export function describeLinks({ fullNetworks, fullApp }: Full, path: string): Finding[] {
  const importing: Finding["fix"] = ["Import the names you expect", `${path}/links/import`];
  const ofToday = (key: string, where: string, { newLinks, maxNewLinks }: FullApp): Finding => ({
    key,
    text: `Clicks and impressions created ${showCount(newLinks)} new links ${where} today (UTC), of at most ${showCount(maxNewLinks)} a day. Other new names ${newLinks < maxNewLinks ? "will count" : "count"} for the links above them.`,
    count: newLinks,
    fix: importing,
  });
  return [
    ...fullApp.map((app) => ofToday("new_links", "in this app", app)),
    ...fullNetworks.flatMap(({ id, token, label, links, ...today }) => [
      ...(isNearlyFull(today.newLinks, today.maxNewLinks)
        ? [ofToday(`new_links:${id}`, `below “${label}”`, today)]
        : []),
      ...(isNearlyFull(links, MAX_FROM_ENGAGEMENTS)
        ? [
            {
              key: `links:${id}`,
              text: `Clicks and impressions created ${showCount(links)} of at most ${showCount(MAX_FROM_ENGAGEMENTS)} links below “${label}”. Other new names ${links < MAX_FROM_ENGAGEMENTS ? "will count" : "count"} for the links above them. Archive those without costs.`,
              count: links,
              fix: ["Archive unused sub-links", unusedPath({ path }, token)] as Finding["fix"],
              otherFix: importing,
            },
          ]
        : []),
    ]),
  ];
}
