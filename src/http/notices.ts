/** What a page says after a redirect that leads to it; pages/notice.ts shows it. */
import { redirectResponse } from "./redirect.ts";

/** The notices of a page, by the name that the address has. A redirect can only name one that has a text. */
export function noticesOf<Name extends string>(texts: Record<Name, string>) {
  const find = ({ searchParams }: URL): Name | undefined =>
    names.find((name) => name === searchParams.get("notice"));
  const names = Object.keys(texts) as Name[];
  const read = (url: URL): string | undefined => {
    const name = find(url);
    return name && texts[name];
  };
  return {
    names,
    texts,
    /** The text of the notice in the address. */
    read,
    /** `path` may have a query and an anchor. */
    redirect: (path: string, notice: Name, headers?: Record<string, string>): Response => {
      const [address = "", anchor] = path.split("#");
      const query = `${address.includes("?") ? "&" : "?"}notice=${notice}`;
      return redirectResponse(address + query + (anchor === undefined ? "" : `#${anchor}`), headers);
    },
  };
}
