/** `POST …/trackers` (spec §4.4). */
import { userOperation } from "../auth/operations.ts";
import { AppError } from "../errors.ts";
import { createAll, newLink, toNewLink } from "./creation.ts";
import { idempotencyKey } from "./idempotency.ts";
import { appPath, oneLink } from "./link.ts";

export const createLink = userOperation({
  method: "POST",
  path: "/public/v1/apps/:app_token/trackers",
  id: "createLink",
  summary: "Create a link, or a sub-link below a parent",
  input: { path: appPath, headers: idempotencyKey, body: newLink },
  requestExample: { name: "Summer" },
  responses: { 201: oneLink("The new link", ["Location"]) },
  errors: ["not_found", "level_limit", "idempotency_key_in_use", "idempotency_key_reused"],
  handle: (context, caller, input) =>
    createAll(
      context,
      caller,
      { ...input, operation: "create_link", items: [toNewLink(input.body)] },
      ([link]) => {
        if (!link) throw new Error("a new link has no result");
        if (link instanceof AppError) throw link;
        const location = `/public/v1/apps/${input.path.app_token}/trackers/${link.token}`;
        return { status: 201, location, items: [link] };
      },
    ),
});
