/** Shared by the tests of the campaign API: its paths, its envelopes, and calls as the demo user. */
import type { Link, toLinkWithOwn } from "../../src/usecases/links/link.ts";
import { ask, type Call, DEMO, type ProblemBody } from "../harness.ts";

export type { Link };
export type LinkWithOwn = ReturnType<typeof toLinkWithOwn>;

export const LINKS = `/public/v1/apps/${DEMO.appToken}/trackers`;
export const LINKS_V2 = `/public/v2/apps/${DEMO.appToken}/trackers`;
export const PARTNERS = "/public/v1/partners";

export interface PagingV1 {
  page_size: string;
  collection_size: string;
  total: string;
  next: string | null;
  previous: string | null;
  cursors: { after: string | null; before: string | null };
}

export interface PagingV2 {
  cursor: string | null;
  next: string | null;
}

export interface Envelope<Item, Paging> {
  data: {
    api_version: string;
    request_id: string;
    timestamp: string;
    paging: Paging;
    items: Item[];
  };
}

/** A call as the demo user. The address can be absolute, like a paging link. */
export function asUser<T = Envelope<Link, PagingV1>>(address: string, options: Call = {}) {
  return ask<T>(address.replace(/^https?:\/\/[^/]+/, ""), { token: DEMO.apiToken, ...options });
}

export async function createLink(name: string, parent_token?: string): Promise<Link> {
  const json = parent_token === undefined ? { name } : { name, parent_token };
  return only(await asUser(LINKS, { json }));
}

export async function patchLink(token: string, json: object): Promise<LinkWithOwn> {
  return only(await asUser<Envelope<LinkWithOwn, PagingV1>>(`${LINKS}/${token}`, { method: "PATCH", json }));
}

export async function readLink(token: string): Promise<LinkWithOwn> {
  return only(await asUser<Envelope<LinkWithOwn, PagingV1>>(`${LINKS}/${token}`));
}

/** The only link of a response. Throws for any other response. */
export function only<L extends Link>(response: { body: Envelope<L, PagingV1> }): L {
  const [link, ...more] = response.body.data?.items ?? [];
  if (!link || more.length > 0) throw new Error(`not one link: ${JSON.stringify(response.body)}`);
  return link;
}

/** The problem document of a rejected call as the demo user. */
export async function rejected(path: string, options: Call = {}): Promise<ProblemBody> {
  const { body, headers } = await asUser<ProblemBody>(path, options);
  if (headers.get("content-type") !== "application/problem+json") {
    throw new Error(`not a problem document: ${JSON.stringify(body)}`);
  }
  return body;
}

/** `param: message` of every error in an invalid_request response. */
export async function errorsOf(path: string, options: Call = {}): Promise<string[]> {
  const { status, code, errors } = await rejected(path, options);
  if (status !== 400 || code !== "invalid_request") throw new Error(`rejected for another reason: ${code}`);
  return (errors ?? []).map(({ param, message }) => `${param}: ${message}`);
}
