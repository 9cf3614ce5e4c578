/** A request of an operation in curl, TypeScript and Python. `npm run check:readme` runs them on the demo data. */
import type { FullArea, Reference } from "./areas.ts";
import { type Described, type Parameter, successesOf } from "./document.ts";
import { sampleOf } from "./values.ts";

export type Sample = { language: "curl" | "TypeScript" | "Python"; code: string };

/** The variables that `npm start` prints, by the path parameter whose value they hold. */
const VARIABLES: Record<string, string> = {
  app_token: "APP_TOKEN",
  token: "APP_TOKEN",
  link_token: "LINK_TOKEN",
};

/** Optional parameters that a sample shows. */
const SHOWN = new Set(["cost_id", "s2s"]);

type Fields = Record<string, unknown>;

/** What a sample sends. */
interface Request {
  method: string;
  /** With parameters as `{name}`. */
  path: string;
  /** Path parameters that a variable does not hold. */
  literals: Fields;
  query: Fields;
  /** Headers that the operation requires, besides the credential. */
  headers: Record<string, string>;
  body: unknown;
  isForm: boolean;
  /** The variable that holds the credential. */
  credential: string | undefined;
}

export function samplesOf(reference: Reference, area: FullArea, operation: Described): Sample[] {
  const request = toRequest(reference, area, operation);
  return [
    { language: "curl", code: toCurl(request) },
    { language: "TypeScript", code: toTypeScript(request, operation) },
    { language: "Python", code: toPython(request) },
  ];
}

function toRequest({ document }: Reference, area: FullArea, { body, ...operation }: Described): Request {
  const fieldsOf = (parameters: Parameter[]) =>
    Object.fromEntries(
      parameters.map(({ name, schema }) => [name, sampleOf(document, schema, "all", { name })]),
    );
  const isForm = body?.mediaType === "application/x-www-form-urlencoded";
  const parameters = operation.parameters.filter(({ in: place, name, required }) =>
    place === "path"
      ? !VARIABLES[name]
      : place === "header"
        ? required
        : !isForm && (required || SHOWN.has(name)),
  );
  return {
    method: operation.method,
    path: operation.path,
    literals: fieldsOf(parameters.filter((parameter) => parameter.in === "path")),
    query: fieldsOf(parameters.filter((parameter) => parameter.in === "query")),
    headers: fieldsOf(parameters.filter((parameter) => parameter.in === "header")) as Record<string, string>,
    body: body && (body.example ?? sampleOf(document, body.schema ?? {}, isForm ? "all" : "required", {})),
    isForm,
    credential: area.variable,
  };
}

/** The path with its parameters filled in; `variable` writes the name of a variable. */
function fillPath({ path, literals, query, isForm }: Request, variable: (name: string) => string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const held = VARIABLES[name];
    return held ? variable(held) : encodeURIComponent(String(literals[name]));
  });
  const search = isForm ? "" : String(new URLSearchParams(query as Record<string, string>));
  return search ? `${filled}?${search}` : filled;
}

function toCurl(request: Request): string {
  const { method, body, isForm, credential } = request;
  const parts = credential ? [`-H "Authorization: Token token=$${credential}"`] : [];
  if (method !== "GET" && !(method === "POST" && body !== undefined)) parts.unshift(`-X ${method}`);
  for (const [name, value] of Object.entries(request.headers)) parts.push(`-H '${name}: ${value}'`);
  if (isForm) parts.push(...Object.entries(body as Fields).map(([name, value]) => `-d '${name}=${value}'`));
  else if (body !== undefined)
    parts.push(
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    );
  parts.push(`"$BASE_URL${fillPath(request, (name) => `$${name}`)}"`);
  return `curl ${parts.join(" \\\n  ")}`;
}

function toTypeScript(request: Request, operation: Described): string {
  const { method, path, literals, body, isForm, credential } = request;
  const held = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]) => {
    const variable = VARIABLES[name];
    return variable ? [[name, variable] as const] : [];
  });
  const variables = ["BASE_URL", ...(credential ? [credential] : []), ...held.map(([, name]) => name)];
  // A form is also accepted as a query, and that needs no serializer.
  const query = isForm ? (body as Fields) : request.query;
  const inPath = {
    ...literals,
    ...Object.fromEntries(held.map(([name, variable]) => [name, new Code(variable)])),
  };
  const parameters = {
    ...(Object.keys(inPath).length > 0 && { path: inPath }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(Object.keys(request.headers).length > 0 && { header: request.headers }),
  };
  const options = {
    ...(Object.keys(parameters).length > 0 && { params: parameters }),
    ...(body !== undefined && !isForm && { body }),
  };
  const room = MAX_LINE - path.length;
  const sent = Object.keys(options).length > 0 ? `, ${write(options, TYPESCRIPT, 0, room)}` : "";
  const client = credential
    ? `{
  baseUrl: BASE_URL,
  headers: { Authorization: \`Token token=\${${credential}}\` },
}`
    : "{ baseUrl: BASE_URL }";
  // A response such as the 503 of /readyz is no problem document.
  const onlyProblems = successesOf(operation).every(([status]) => Number(status) < 400);
  return `import createClient from "openapi-fetch";
import type { paths } from "./linkledger.d.ts";

const { ${variables.map((name) => `${name} = ""`).join(", ")} } = process.env;
const client = createClient<paths>(${client});

const { data, error } = await client.${method}("${path}"${sent});
if (error) throw new Error(${onlyProblems ? "error.detail" : "JSON.stringify(error)"});
console.log(data);`;
}

function toPython(request: Request): string {
  const { method, body, isForm, credential } = request;
  const variable = (name: string) => `{os.environ['${name}']}`;
  const lines = [
    `f"${variable("BASE_URL")}${fillPath(request, variable)}"`,
    ...(credential ? [pythonHeaders(`f"Token token=${variable(credential)}"`, request.headers)] : []),
    ...(body === undefined ? [] : [`${isForm ? "data" : "json"}=${write(body, PYTHON, 1)}`]),
  ];
  return `import os

import requests

response = requests.${method.toLowerCase()}(
${lines.map((line) => `    ${line},\n`).join("")})
response.raise_for_status()
print(response.json())`;
}

function pythonHeaders(authorization: string, headers: Record<string, string>): string {
  const others = Object.entries(headers).map(
    ([name, value]) => `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `headers={"Authorization": ${authorization}${others.join("")}}`;
}

/** An expression of the sample's language. */
class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

interface Style {
  indent: string;
  key: (name: string) => string;
  /** What surrounds the properties of an object that fits on one line. */
  padding: string;
  words: Record<string, string>;
}

const TYPESCRIPT: Style = {
  indent: "  ",
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)),
  padding: " ",
  words: {},
};

const PYTHON: Style = {
  indent: "    ",
  key: JSON.stringify,
  padding: "",
  words: { true: "True", false: "False", null: "None" },
};

const MAX_LINE = 60;

/** Writes JSON in a language: on one line if that has at most `room` characters. */
function write(value: unknown, style: Style, depth = 0, room = MAX_LINE): string {
  if (value instanceof Code) return value.text;
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value);
    return style.words[text] ?? text;
  }
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const padding = isList ? "" : style.padding;
  const parts = isList
    ? value.map((item) => write(item, style, depth + 1))
    : Object.entries(value).map(([name, item]) => `${style.key(name)}: ${write(item, style, depth + 1)}`);
  const line = `${open}${padding}${parts.join(", ")}${padding}${close}`;
  if (line.length <= room && !line.includes("\n")) return line;
  const indent = style.indent.repeat(depth + 1);
  return `${open}\n${parts.map((part) => `${indent}${part},\n`).join("")}${style.indent.repeat(depth)}${close}`;
}
