/** Checks a response against an operation of an OpenAPI document: status, media type, headers and body. */
import Ajv2020, { type Options, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export interface Documented {
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, { schema?: object }> }
  >;
}

export interface ApiDocument<Described extends Documented = Documented> {
  paths: Record<string, Record<string, Described>>;
}

/**
 * A validator whose schemas are compiled quickly: those that others refer to once, and none is optimized or validated itself, which
 * test/site/openapi.test.ts does.
 */
export const createAjv = (options: Options = {}) =>
  addFormats(
    new Ajv2020({
      ...{ strict: false, inlineRefs: false, validateSchema: false, code: { optimize: false } },
      ...options,
    }),
  );

/** Returns a function that describes what is wrong with a response, or undefined for a valid response or unknown operation. */
export function createContract(document: ApiDocument) {
  const ajv = createAjv({ allErrors: true });
  ajv.addSchema({ ...document, $id: "document" });
  const compiled = new Map<string, ValidateFunction>();

  return async (template: string, method: string, response: Response): Promise<string | undefined> => {
    const operation = document.paths[template]?.[method.toLowerCase()];
    if (!operation) return undefined;
    const where = `${method} ${template} ${response.status}`;
    const documented = operation.responses[response.status];
    if (!documented) return `${where}: the document does not list this status`;
    const missing = Object.keys(documented.headers ?? {}).find((name) => !response.headers.has(name));
    if (missing) return `${where}: the header ${missing} is missing`;
    const mediaType = response.headers.get("content-type")?.split(";")[0] ?? "";
    if (!mediaType.endsWith("json")) return undefined;
    if (!documented.content?.[mediaType]) return `${where}: the document does not list ${mediaType}`;
    const pointer = ["paths", template, method.toLowerCase(), "responses", String(response.status)];
    const key = [...pointer, "content", mediaType, "schema"]
      .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    const validate = compiled.get(key) ?? ajv.compile({ $ref: `document#/${key}` });
    compiled.set(key, validate);
    const body = await response.clone().json();
    return validate(body)
      ? undefined
      : `${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`;
  };
}
