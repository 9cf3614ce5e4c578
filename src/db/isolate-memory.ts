/**
 * All that an isolate remembers from one request to the next, and what must never be answered from it. None of it grants anything:
 * D1 decides about every token in the statements of the request itself. An isolate that starts knows nothing, and another one may
 * know something else.
 */
import type { Destination } from "../domain/engagements/click-target.ts";
import { Memory } from "../domain/memory.ts";
import type { ClickedLink } from "./links/destinations.ts";

/** What never changes is remembered without an end. */
export const ANY_TIME = 0;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * App token → where its links lead, with their own targets, as KV or D1 said, on top of the minute for which KV may have an old
 * value. Only for redirects: what an operator reads or changes comes from D1. Code that changes an app sets it before the
 * response, and a read that was under way then is not remembered.
 */
export const destinations = new Memory<Destination>({ duration: 5_000, most: 1_000 });

/**
 * Link token → its app and the IDs of the links above it. Never changes. Not whether the link exists in D1, which may have been
 * restored: recording decides that.
 */
export const clickedLinks = new Memory<ClickedLink>({ duration: Number.POSITIVE_INFINITY });

/** Link tokens that D1 does not know. Tokens are random, so none of them becomes a link within a minute. Not after an error of D1. */
export const unknownLinks = new Memory<true>({ duration: MINUTE });

/**
 * Hashes of tokens and credentials that D1 accepted. Saves the read of KV, the check of the form, and the block of an address that
 * many share. Never the decision of D1, which a rejection tells it to forget; never a limit, which counts every use; never who the
 * user is, for the limit of reports.
 */
export const acceptedTokens = new Memory<true>({ duration: 5 * MINUTE });

/** Addresses above their limit of rejections. Never for a credential in `acceptedTokens`, nor for another address. */
export const blockedAddresses = new Memory<true>({ duration: MINUTE });

/** Token hash → the last day on which this isolate recorded a use. Never when a token was used last, which D1 has. */
export const recordedUses = new Memory<number>({ duration: DAY });

/** Hash of a credential → its ID, which never changes. Only for the log. */
export const credentialIds = new Memory<number>({ duration: Number.POSITIVE_INFINITY });

/** Hash of a credential → its partner, which never changes and selects the shard. Never what the credential may do. */
export const partnersOfCredentials = new Memory<number>({ duration: Number.POSITIVE_INFINITY });

/**
 * Paths of sub-links that clicks named and that were there, so that no statement tries to create them. Never that they are still
 * there, because a database can be restored to a time before them: recording finds each in D1.
 */
export const foundPaths = new Memory<true>({ duration: Number.POSITIVE_INFINITY });

/**
 * Paths of sub-links that a click could create under its limit, so that the limit counts names and not clicks. Never that they are
 * there.
 */
export const allowedPaths = new Memory<true>({ duration: Number.POSITIVE_INFINITY });

/** Link token → its partner when a server's click was last recorded. Only whose limit of new names a click counts for. */
export const partnersOfLinks = new Memory<number>({ duration: 5 * MINUTE });

/** Kind and cost ID of an engagement → its time, during that millisecond. Only so that another one gets another time. */
export const engagementTimes = new Memory<number>({ duration: 1 });
