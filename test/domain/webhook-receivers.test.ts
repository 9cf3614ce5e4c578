/** Which URLs webhooks can be sent to. */
import { describe, expect, it } from "vitest";
import { judgeReceiver } from "../../src/domain/webhooks/receiver.ts";

const ours = { hosts: ["links.example.com", "go.example.com"], allowsLocal: false };
const judge = (url: string, allowsLocal = false) => judgeReceiver(url, { ...ours, allowsLocal });

it.each([
  ["https://example.org/hooks?a=1", "https://example.org/hooks?a=1"],
  ["https://example.org:443/", "https://example.org/"],
  ["HTTPS://Example.ORG", "https://example.org/"],
  ["https://münchen.example/x", "https://xn--mnchen-3ya.example/x"],
  ["https://sub.links.example.com/", "https://sub.links.example.com/"],
  ["https://10.example.org/", "https://10.example.org/"],
])("%s can be one", (url, sent) => {
  expect(judge(url)).toEqual({ url: sent });
});

const SCHEME = "must begin with https://";
const ADDRESS = "must name a host, not an IP address";
const NOT_PUBLIC = "must name a host on the public internet";
const NO_URL = "must be a URL, for example https://example.com/hooks";
const OURS = "must not be a host of this service";

describe.each([
  [
    "a scheme",
    SCHEME,
    ["http://example.org/", "ftp://example.org/", "javascript:alert(1)", "file:///etc/passwd"],
  ],
  [
    "a port",
    "must use port 443",
    ["https://example.org:8443/", "https://example.org:80/", "https://example.org:0/"],
  ],
  [
    "credentials",
    "must not contain a user name or password",
    ["https://a:b@example.org/", "https://a@example.org/"],
  ],
  ["a fragment", "must not contain a #", ["https://example.org/#a"]],
  [
    "IPv4 in each notation",
    ADDRESS,
    [
      ...["https://127.0.0.1/", "https://10.0.0.1/", "https://169.254.169.254/", "https://8.8.8.8./"],
      ...[
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://0/",
      ],
      ...[
        "https://%31%32%37.0.0.1/",
        "https://１２７.０.０.１/",
        "https://①②⑦.⓪.⓪.①/",
        "https://127。0。0。1/",
      ],
    ],
  ],
  [
    "IPv6",
    ADDRESS,
    ["https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[fd00::1]/", "https://[2606:4700::1111]/"],
  ],
  [
    "a private name",
    NOT_PUBLIC,
    [
      ...["https://localhost/", "https://LOCALHOST./", "https://a.localhost/", "https://ｌｏｃａｌｈｏｓｔ/"],
      ...[
        "https://printer.local/",
        "https://printer.local../",
        "https://metadata.google.internal/",
        "https://router.lan/",
      ],
      ...["https://intranet/", "https://%6c%6f%63alhost/", "https://a.home.arpa/"],
    ],
  ],
  [
    "our own host",
    OURS,
    [
      "https://links.example.com/",
      "https://LINKS.example.com./x",
      "https://go.example.com/",
      "https://links%2eexample.com/",
    ],
  ],
  [
    "what is no URL",
    NO_URL,
    [
      "example.org",
      "",
      " https://example.org/",
      "https://exa mple.org/",
      "https://example.org/\n",
      "https:\\\\example.org\\",
      "https://",
      "https://xn--a-.example/\t",
    ],
  ],
])("%s is rejected", (_, error, urls) => {
  it.each(urls)("%j", (url) => {
    expect(judge(url)).toEqual({ error });
  });
});

it("allows a receiver on this machine for tests only", () => {
  expect(judge("http://127.0.0.1:8080/x")).toEqual({ error: SCHEME });
  expect(judge("http://127.0.0.1:8080/x", true)).toEqual({ url: "http://127.0.0.1:8080/x" });
  expect(judge("http://localhost:8080/", true)).toEqual({ error: SCHEME });
  expect(judge("http://127.0.0.2/", true)).toEqual({ error: SCHEME });
  expect(judge("https://127.0.0.1/", true)).toEqual({ error: ADDRESS });
});
