/** Holds every answer of the suite against the OpenAPI document: status, media type, headers and body, no property unknown. */
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { routes } from "../src/index.ts";
import { buildDocument } from "../src/openapi.ts";

interface Responses {
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, { schema?: object }> }
  >;
}

export const document = buildDocument(routes, "https://linkledger.test", "test") as {
  paths: Record<string, Record<string, Responses>>;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ ...document, $id: "document" });

const patterns = routes.map(({ path, methods }) => ({
  pattern: new RegExp(
    `^${path
      .replaceAll(".", "\\.")
      .replace(/:\w+\+/g, ".+")
      .replace(/:\w+/g, "[^/]+")}/*$`,
  ),
  template: path.replace(/:(\w+)/g, "{$1}"),
  methods,
}));

const compiled = new Map<string, ValidateFunction>();

/** Throws where the answer is not what the document says. Pages, and paths that do not exist, are not in it. */
export async function checkAnswer(request: Request, response: Response): Promise<void> {
  const { pathname } = new URL(request.url);
  const route = patterns.find(({ pattern }) => pattern.test(pathname));
  const operation = route && document.paths[route.template]?.[request.method.toLowerCase()];
  if (!operation) return;
  const where = `${request.method} ${route.template} ${response.status}`;
  const promised = operation.responses[response.status];
  if (!promised) throw new Error(`${where}: the document has no such status`);
  for (const name of Object.keys(promised.headers ?? {})) {
    if (!response.headers.has(name)) throw new Error(`${where}: the header ${name} is missing`);
  }
  const mediaType = response.headers.get("content-type")?.split(";")[0] ?? "";
  if (!mediaType.endsWith("json")) return;
  if (!promised.content?.[mediaType]) throw new Error(`${where}: the document has no ${mediaType}`);
  const pointer = [
    "paths",
    route.template,
    request.method.toLowerCase(),
    "responses",
    String(response.status),
  ];
  const escaped = [...pointer, "content", mediaType, "schema"].map((part) =>
    encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")),
  );
  const key = escaped.join("/");
  const validate = compiled.get(key) ?? ajv.compile({ $ref: `document#/${key}` });
  compiled.set(key, validate);
  const body = await response.clone().json();
  if (!validate(body))
    throw new Error(`${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}
