/** Which URLs webhooks can be sent to: never to this service, this machine or a private network. */

interface Ours {
  /** The hosts of this service. */
  hosts: string[];
  /** For tests: `http://127.0.0.1:PORT` is allowed too. */
  allowsLocal: boolean;
}

/** The longest URL of a receiver. */
export const MAX_URL = 1_024;
/** Names that lead to private networks. */
const PRIVATE = /(?:^|\.)(?:localhost|local|internal|home\.arpa|lan|intranet|corp|private)$/;

/** What is wrong with the URL of a receiver, or the URL to send to. The parser has decoded its host. */
export function judgeReceiver(text: string, ours: Ours): { url: string } | { error: string } {
  const url = /^[!-~]+$/.test(text) || /[^\0-\x7f]/.test(text) ? URL.parse(text) : null;
  if (!url || /[\s\\]/.test(text)) return { error: "must be a URL, for example https://example.com/hooks" };
  if (url.username || url.password) return { error: "must not contain a user name or password" };
  if (url.hash) return { error: "must not contain a #" };
  if (ours.allowsLocal && url.protocol === "http:" && url.hostname === "127.0.0.1") return { url: url.href };
  if (url.protocol !== "https:") return { error: "must begin with https://" };
  if (url.port !== "") return { error: "must use port 443" };
  // With a dot at the end it is the same host. The parser also accepts more of them.
  const host = url.hostname.replace(/\.$/, "");
  if (host.startsWith("[") || /^[\d.]+$/.test(host)) return { error: "must name a host, not an IP address" };
  if (!host.includes(".") || host.split(".").includes("") || PRIVATE.test(host))
    return { error: "must name a host on the public internet" };
  if (ours.hosts.includes(host)) return { error: "must not be a host of this service" };
  return { url: url.href };
}
