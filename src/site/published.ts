/** The OpenAPI document that is served: for tools and people who see nothing else, it also says whom to ask and who calls what. */
import type { Context } from "../env.ts";
import type { Reference } from "./reference/areas.ts";

export function toPublished({ document, areas }: Reference, { url, env }: Pick<Context, "url" | "env">) {
  const accessOf = new Map(areas.map(({ surface, access }) => [surface, access]));
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => {
        const { description = "", tags } = operation;
        const text = `${description} ${accessOf.get(tags[0] ?? "") ?? ""}`.trim();
        return [method, { ...operation, description: text }];
      }),
    ),
  ]);
  return {
    ...document,
    info: { ...document.info, contact: toContact(env.OPERATOR_CONTACT, url.origin) },
    servers: [{ url: url.origin }],
    tags: areas.map(({ surface, title, lead, path }) => ({
      name: surface,
      description: lead,
      externalDocs: { description: title, url: `${url.origin}${path}` },
    })),
    paths: Object.fromEntries(paths),
  };
}

/** OPERATOR_CONTACT is an email address, an https URL or a text. */
function toContact(contact: string | undefined, origin: string): Record<string, string> {
  const name = "The operator of this service";
  if (contact?.startsWith("https://")) return { name, url: contact };
  if (contact && /^[^\s@]+@[^\s@]+$/.test(contact)) return { name, email: contact };
  return { name: contact ?? name, url: `${origin}/docs` };
}
