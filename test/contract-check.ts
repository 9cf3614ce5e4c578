/** Holds every answer of the suite against the OpenAPI document. */
import { routes } from "../src/index.ts";
import { buildDocument } from "../src/openapi.ts";
import { type ApiDocument, createContract } from "./contract.ts";

export const document = buildDocument(routes, "test") as unknown as ApiDocument;

const findFault = createContract(document);

const patterns = routes.map(({ path }) => ({
  pattern: new RegExp(
    `^${path
      .replaceAll(".", "\\.")
      .replace(/:\w+\+/g, ".+")
      .replace(/:\w+/g, "[^/]+")}/*$`,
  ),
  template: path.replace(/:(\w+)/g, "{$1}"),
}));

/** Throws where the answer is not what the document says. Pages, and paths that do not exist, are not in it. */
export async function checkAnswer(request: Request, response: Response): Promise<void> {
  const { pathname } = new URL(request.url);
  const route = patterns.find(({ pattern }) => pattern.test(pathname));
  const fault = route && (await findFault(route.template, request.method, response));
  if (fault) throw new Error(fault);
}
