/** Checks every response in the test suite against the OpenAPI document. */

import { buildDocument } from "../src/openapi.ts";
import { type ApiDocument, createContract } from "./contract.ts";
import { routes } from "./routes.ts";

export const document = buildDocument(routes, "test") as unknown as ApiDocument;

const findViolation = createContract(document);

const patterns = routes.map(({ path }) => ({
  pattern: new RegExp(
    `^${path
      .replaceAll(".", "\\.")
      .replace(/:\w+\+/g, ".+")
      .replace(/:\w+/g, "[^/]+")}/*$`,
  ),
  template: path.replace(/:(\w+)/g, "{$1}"),
}));

/** Throws if the response violates the document. Pages and unknown paths are not in the document and always pass. */
export async function checkResponse(request: Request, response: Response): Promise<void> {
  const { pathname } = new URL(request.url);
  const route = patterns.find(({ pattern }) => pattern.test(pathname));
  const violation = route && (await findViolation(route.template, request.method, response));
  if (violation) throw new Error(violation);
}
