/** Checks every response in the test suite against the OpenAPI document, and for the headers that each response has. */

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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Throws if the response violates the document. Pages and unknown paths are not in the document and have only the headers. */
export async function checkResponse(request: Request, response: Response): Promise<void> {
  const { pathname } = new URL(request.url);
  const { "x-request-id": id = "", "x-content-type-options": sniffing } = Object.fromEntries(
    response.headers,
  );
  if (!UUID.test(id) || sniffing !== "nosniff")
    throw new Error(
      `${request.method} ${pathname} has X-Request-Id ${id} and X-Content-Type-Options ${sniffing}`,
    );
  const route = patterns.find(({ pattern }) => pattern.test(pathname));
  const violation = route && (await findViolation(route.template, request.method, response));
  if (violation) throw new Error(violation);
}
