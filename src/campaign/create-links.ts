/** `POST …/trackers/bulk`: up to 100 links in one request, with a result for each. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/operations.ts";
import type { NewLink } from "../db/links/creation.ts";
import { AppError, type InputError } from "../errors.ts";
import { invalidRequest, parsePart } from "../http/input.ts";
import { toProblem } from "../http/problems.ts";
import { itemsV1, problem } from "../http/response-schemas.ts";
import { link } from "../usecases/links.ts";
import { createAll, newLink, toNewLink } from "./creation.ts";
import { idempotencyKey } from "./idempotency.ts";
import { appPath } from "./link.ts";

const MAX_LINKS = 100;

/** Each link is parsed separately, so that an invalid one does not affect the others. */
const newLinks = z.strictObject({
  links: z
    .array(z.unknown())
    .check(
      z.minLength(1, "must contain at least one link"),
      z.maxLength(MAX_LINKS, `must contain at most ${MAX_LINKS} links`),
    ),
});

export const createLinks = userOperation({
  method: "POST",
  path: "/public/v1/apps/:app_token/trackers/bulk",
  id: "createLinks",
  summary: "Create up to 100 links in one request",
  description:
    "Each link gets its own result, in the order of the request. An invalid link does not affect the others.",
  input: { path: appPath, headers: idempotencyKey, body: newLinks },
  describedBody: z.strictObject({
    links: z.array(newLink).check(z.minLength(1), z.maxLength(MAX_LINKS)),
  }),
  requestExample: { links: [{ name: "Summer" }, { name: "Beach", parent_token: "q2r7kd0n5x" }] },
  responses: {
    200: {
      description: "A result for each link: the new link, or a problem document",
      schema: itemsV1(z.union([z.strictObject({ status: z.literal(201), link }), problem])),
    },
  },
  errors: ["not_found", "idempotency_key_in_use", "idempotency_key_reused"],
  handle: (context, caller, input) =>
    createAll(
      context,
      caller,
      { ...input, operation: "create_links", items: input.body.links.map(readItem) },
      (results) => ({
        status: 200,
        location: null,
        items: results.map((result) =>
          result instanceof AppError ? toProblem(context, result) : { status: 201, link: result },
        ),
      }),
    ),
});

function readItem(item: unknown, index: number): NewLink | AppError {
  const errors: InputError[] = [];
  const sent = parsePart(newLink, item, errors, `links.${index}`);
  return sent ? toNewLink(sent) : invalidRequest(errors);
}
