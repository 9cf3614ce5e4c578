/** `npm start -- --demo large`: an app of a customer's size for the demo users, with the same random values each time. */
import { DAY_MS } from "../../domain/time.ts";
import { createActivity } from "./large/activity.ts";
import { adjustments, withVoids } from "./large/corrections.ts";
import { createLinks, LARGE } from "./large/links.ts";
import { partnerRows } from "./large/partners.ts";
import { withProblems } from "./large/problems.ts";
import { rates } from "./large/rates.ts";
import type { DemoRow } from "./rows.ts";

/** The rows of the app, for the two users of the default demo. `now` in milliseconds since 1970. */
export function largeRows(now: number): DemoRow[] {
  const created_at = now - 200 * DAY_MS;
  const { links, rows } = createLinks(created_at);
  const activity = withVoids(withProblems(createActivity(links, now), now), now);
  return [
    {
      table: "apps",
      values: {
        token: LARGE.appToken,
        name: LARGE.name,
        default_url: "https://example.com/travel",
        redirect_hosts: JSON.stringify(["example.com"]),
        redirect_schemes: JSON.stringify(["https", "atlastravel"]),
        created_at,
      },
    },
    ...[1, 2].map((user_id) => ({ table: "memberships", values: { user_id, app_token: LARGE.appToken } })),
    ...partnerRows(now, created_at),
    ...rows,
    ...activity,
    ...rates(activity, now),
    ...links.flatMap((link) => adjustments(link, now)),
  ];
}
