/** What a page says after a redirect that leads to it; pages/notice.ts shows it. */
import type { Context } from "../env.ts";
import { redirectResponse } from "./redirect.ts";

/** The notices of a page, by the name that the address has. A redirect can only name one that has a text. */
export function noticesOf<Name extends string>(texts: Record<Name, string>) {
  const names = Object.keys(texts) as Name[];
  const find = ({ searchParams }: URL): Name | undefined =>
    names.find((name) => name === searchParams.get("notice"));
  const findDone = (context: Context) => (isFromHere(context) ? find(context.url) : undefined);
  const textOf = (name: Name | undefined): string | undefined => name && texts[name];
  return {
    names,
    texts,
    /** The text of the notice in the address, for pages to which a link elsewhere leads when a session has ended. */
    read: (url: URL) => textOf(find(url)),
    /** The notice in the address, if a page of ours led here. A link elsewhere must not say that something was done. */
    findDone,
    readDone: (context: Context) => textOf(findDone(context)),
    /** `path` may have a query and an anchor. */
    redirect: (path: string, notice: Name, headers?: Record<string, string>): Response => {
      const [address = "", anchor] = path.split("#");
      const query = `${address.includes("?") ? "&" : "?"}notice=${notice}`;
      return redirectResponse(address + query + (anchor === undefined ? "" : `#${anchor}`), headers);
    },
  };
}

/** Old browsers do not send the header. */
function isFromHere({ request }: Context): boolean {
  const site = request.headers.get("sec-fetch-site");
  return site === null || site === "same-origin";
}
