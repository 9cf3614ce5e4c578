/** `/apps/{app}/links.csv`: all links that the Links page finds with this query, on all of its pages and at all levels. */
import { readAllLinks } from "../../db/links/all-links.ts";
import { type BrowsedLink, browseLinks, isInOneIndex, type NamePosition } from "../../db/links/browse.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { dayOf, formatDate } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { csvResponse, toCsv, toCsvRows } from "../../http/csv.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { searchLinks } from "../../usecases/links/search.ts";
import { authorizeApp, type Member, type Show } from "../frame.ts";
import { type LinksQuery, readLinksQuery, toSearch } from "../links/query.ts";
import { COLUMNS, toCells } from "./columns.ts";

/** The links of one call to D1. */
const PAGE_SIZE = 5_000;

export const linksCsv: Show = async (context, member) => {
  const pages = readPages(context, member, readLinksQuery(context.url.search));
  // An error before the first link is still shown as a page.
  const first = await pages.next();
  const encoder = new TextEncoder();
  const write = (text: string) => encoder.encode(text);
  let next: typeof first | undefined = first;
  const file = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(write(toCsv([...COLUMNS], []))),
    async pull(controller) {
      const { value, done } = next ?? (await pages.next());
      next = undefined;
      if (done) return controller.close();
      controller.enqueue(write(toCsvRows(value.links.map((link) => toCells(link, value.partners, context)))));
    },
  });
  return csvResponse(file, `links-${member.app.token}-${formatDate(dayOf(context.now))}.csv`);
};

interface Page {
  links: BrowsedLink[];
  partners: Partners;
}

/** Each page checks the session and the membership again. */
async function* readPages(
  { env }: Context,
  { viewer, app }: Member,
  query: LinksQuery,
): AsyncGenerator<Page, undefined> {
  if (query.q !== undefined) {
    const { access, links, partners } = await readAllLinks(env.DB, viewer, app.token);
    authorizeApp(access);
    checkPartner(query, partners);
    yield { links: searchLinks(links, query.q, toSearch(query), partners).links, partners };
    return undefined;
  }
  for (const search of searchesFor(query)) {
    let after: NamePosition | undefined;
    do {
      const { access, lists, partners } = await browseLinks(
        env.DB,
        viewer,
        app.token,
        [{ of: "search", search, after }],
        PAGE_SIZE,
      );
      authorizeApp(access);
      checkPartner(query, partners);
      const found = lists[0] ?? [];
      const links = found.slice(0, PAGE_SIZE);
      if (links.length > 0) yield { links, partners };
      after = found.length > PAGE_SIZE ? links.at(-1) : undefined;
    } while (after);
  }
  return undefined;
}

function checkPartner({ partner }: LinksQuery, partners: Partners): void {
  if (partner !== undefined && !partners.has(partner))
    throw invalidRequest([{ param: "partner", message: "doesn't exist" }]);
}

/** A list of all levels would read a page of each of them for every page. */
function searchesFor(query: LinksQuery) {
  const search = toSearch(query);
  return isInOneIndex(search) || search.level !== undefined
    ? [search]
    : [1, 2, 3, 4].map((level) => ({ ...search, level }));
}
