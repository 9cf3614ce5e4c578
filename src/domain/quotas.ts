/** How much one app can store. */

/** The links that users can create in an app, at all levels. Operators can change it for each app. */
export const DEFAULT_MAX_LINKS = 100_000;

/** The responses that an app keeps for its idempotency keys, together, in characters. */
export const MAX_STORED_LENGTH = 256 * 1024 * 1024;
