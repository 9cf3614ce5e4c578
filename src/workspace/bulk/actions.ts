/** What one change of several links can be: its name, what is said after it, and what it changes of each link. */
import * as z from "zod/mini";
import type { LinkSettings } from "../../db/links/updates.ts";
import { idText } from "../../http/input/fields.ts";
import { linkTarget } from "../../usecases/links/link.ts";
import type { LinkUpdate } from "../../usecases/links/updates.ts";
import { selectedLinks } from "../links/query.ts";

interface BulkAction {
  name: string;
  /** `{links}` is how many, and `{partner}` the name of the partner. */
  done: string;
  update: (asked: { partner?: number | undefined; target: string }) => LinkUpdate;
}

export const ACTIONS = {
  archive: { name: "Archive", done: "{links} archived", update: () => ({ archived: true }) },
  restore: { name: "Restore", done: "{links} restored", update: () => ({ archived: false }) },
  attach: {
    name: "Attach to a partner",
    done: "{links} attached to {partner}",
    // 0 is no partner, so every link is rejected.
    update: ({ partner }) => ({ partner_id: partner ?? 0 }),
  },
  detach: {
    name: "Detach from their partner",
    done: "{links} detached",
    update: () => ({ partner_id: null }),
  },
  "cost-on": {
    name: "Turn cost data on",
    done: "Cost data turned on for {links}",
    update: () => ({ cost_data_enabled: true }),
  },
  "cost-off": {
    name: "Turn cost data off",
    done: "Cost data turned off for {links}",
    update: () => ({ cost_data_enabled: false }),
  },
  "cost-inherit": {
    name: "Inherit cost data from parent",
    done: "Cost data inherited from parent for {links}",
    update: () => ({ cost_data_enabled: null }),
  },
  target: { name: "Set a target", done: "Target set for {links}", update: ({ target }) => ({ target }) },
  "target-app": {
    name: "Set target to the app's URLs",
    done: "Target set to the app's URLs for {links}",
    update: () => ({ target: "" }),
  },
  "target-inherit": {
    name: "Inherit target from parent",
    done: "Target inherited from parent for {links}",
    update: () => ({ target: null }),
  },
} satisfies Record<string, BulkAction>;
type Action = keyof typeof ACTIONS;

const fields = z.object({
  action: z.enum(Object.keys(ACTIONS) as Action[], "must be chosen from the list"),
  partner: z.optional(idText),
  target: z._default(linkTarget, ""),
  links: selectedLinks,
  back: z._default(z.string(), ""),
  /** The version of the links that the review showed. */
  reviewed: z._default(z.string(), ""),
});
export type Bulk = z.output<typeof fields>;

/** The form always sends the target, which only one action uses. */
export const bulkForm = fields.check(
  z.refine(({ action, target }) => action !== "target" || target !== "", {
    path: ["target"],
    message: "must not be empty; enter the URL to which clicks lead",
  }),
);

/** What a change replaces of its links. To archive and to restore replaces nothing. */
export function replacedBy({ action }: Pick<Bulk, "action">): readonly (keyof LinkSettings)[] {
  if (action === "archive" || action === "restore") return [];
  return action.startsWith("target") ? ["target"] : ["partnerId", "costSwitch"];
}
