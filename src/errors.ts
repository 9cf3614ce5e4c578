/** Every error code of the API with its HTTP status, title and help text. The error reference is built from this table. */
import { COST_WINDOW } from "./domain/texts.ts";

export const ERRORS = {
  invalid_request: {
    status: 400,
    title: "The request is invalid",
    help: "`errors` names every invalid parameter and what is wrong with it. Fix them all, then resend the request.",
  },
  report_too_large: {
    status: 400,
    title: "The report covers too much",
    help: "A report reads its days in at most 10 calls to a database, each of 200,000 rows of totals or of one day: each day has a row for each link, partner, cost type (or kind) and currency. Ask for fewer days with `from` and `to`: `errors` says how many fit.",
  },
  level_limit: {
    status: 400,
    title: "A link has at most four levels",
    help: "The parent is a creative (level 4). Choose a parent of level 1, 2 or 3.",
  },
  limit_reached: {
    status: 400,
    title: "A limit is reached",
    help: "`detail` says which limit. Nothing was changed.",
  },
  unknown_partner: {
    status: 400,
    title: "Unknown partner",
    help: "Set `partner_id` to an ID from the list of partners, or to null to detach the partner.",
  },
  partner_without_cost_data: {
    status: 400,
    title: "Cost data requires a partner that supports it",
    help: "Attach a partner whose `supports_cost_data` is true to this link or to one above it, then turn cost data on.",
  },
  cost_id_conflict: {
    status: 400,
    title: "A different cost was sent with this cost ID",
    help: "To correct the earlier cost, void it on its page at `/partner/costs` or with `POST /cost/{cost_id}/void`, then send the right values. For another click or impression, use another cost ID.",
  },
  window_closed: {
    status: 400,
    title: `The click or impression is more than ${COST_WINDOW} old`,
    help: `Costs are accepted up to and including ${COST_WINDOW} after the click or impression. Send costs within that time.`,
  },
  unauthorized: {
    status: 401,
    title: "Credentials are missing or invalid",
    help: "Send `Authorization: Token token=…`. Campaign and operator paths take an API token (ll_api_…) or an access token (ll_read_… or ll_write_…). Cost paths take a cost credential (ll_live_… or ll_test_…). After a reset, only the new token works.",
  },
  https_required: {
    status: 403,
    title: "Use https",
    help: "Nothing was changed. Send the request again with https. If the request had a password or a token, it was sent unencrypted: replace it.",
  },
  session_ended: {
    status: 401,
    title: "You are not signed in",
    help: "Your session expired. Sign in again: users on the account page, partners at `/partner`.",
  },
  password_change_required: {
    status: 403,
    title: "You must change your temporary password first",
    help: "Open the account page and choose your own password.",
  },
  two_factor_required: {
    status: 403,
    title: "Operators must use two-factor authentication",
    help: "Open the account page and set up an authenticator app.",
  },
  wrong_password: {
    status: 403,
    title: "Incorrect password",
    help: "Nothing was changed. Enter the password of the account that is signed in.",
  },
  password_required: {
    status: 403,
    title: "Enter your password to continue",
    help: "Nothing was changed. Send your own password as `your_password`.",
  },
  cross_site: {
    status: 403,
    title: "The request came from another site",
    help: "Forms are accepted only from the pages of this site. Nothing was changed. Open the page of the form and try again there.",
  },
  credential_revoked: {
    status: 403,
    title: "This cost credential was revoked",
    help: "Ask the operator for a new credential.",
  },
  test_credential: {
    status: 403,
    title: "A test credential cannot do this",
    help: "A test credential sends costs only while its round is open, and never changes costs that count. Ask the operator to open a round, or use your live credential.",
  },
  cost_type_not_integrated: {
    status: 403,
    title: "The partner has not integrated this cost type",
    help: "The partner does not support cost data, or its credential does not include this cost type. Ask the operator for an integration round.",
  },
  partner_stopped: {
    status: 403,
    title: "An operator stopped this partner",
    help: "No cost of this partner is accepted until the operator resumes it. Ask the operator why.",
  },
  cost_data_disabled: {
    status: 403,
    title: "Cost data was off for this click or impression",
    help: "Ask the owner of the app to turn cost data on for the link. Clicks and impressions recorded while it was off cannot get a cost.",
  },
  operator_required: {
    status: 403,
    title: "Operators only",
    help: "You are a member. Ask an operator for access.",
  },
  insufficient_scope: {
    status: 403,
    title: "The access token does not allow this",
    help: "An access token with the scope `read` cannot change anything, and one for a single app works only for that app. Create another one at `/account/tokens`.",
  },
  app_full: {
    status: 403,
    title: "The app has its maximum number of links",
    help: "Users can create 100,000 links in an app, unless an operator has changed this number. Ask the operator to raise `max_links` of the app.",
  },
  round_full: {
    status: 403,
    title: "The integration round is full",
    help: "A round holds at most 1,000 submissions. Ask the operator to close it and open another.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    help: "The path, app, link or record does not exist, or you do not have access to it.",
  },
  request_timeout: {
    status: 408,
    title: "The body did not arrive in time",
    help: "The whole body must arrive within 30 seconds. Nothing was changed. Resend the request.",
  },
  account_changed: {
    status: 409,
    title: "The account changed in the meantime",
    help: "The API token or the password was changed at the same time, here or in another window. This request changed nothing. Reload the account page to see the current state.",
  },
  link_changed: {
    status: 409,
    title: "The link changed in the meantime",
    help: "Somebody else changed the link after you opened this page. This request changed nothing. Compare the values, then save yours again if you still want to.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    help: "Use one of the methods in the `Allow` header.",
  },
  email_taken: {
    status: 409,
    title: "Another user has this email address",
    help: "Addresses are compared without regard to case. Change the existing user, or use another address.",
  },
  already_member: {
    status: 409,
    title: "The user is already a member of this app",
    help: "No action is needed.",
  },
  has_password: {
    status: 409,
    title: "The user has a password",
    help: "A user with a password creates and resets the API token on the account page. Operators issue tokens only to single sign-on users.",
  },
  last_operator: {
    status: 409,
    title: "You cannot remove the last operator",
    help: "Give the operator role to another user who signs in with a password, then change, disable or erase this one.",
  },
  user_erased: {
    status: 409,
    title: "The user was erased",
    help: "This cannot be undone. Create a new user.",
  },
  identity_taken: {
    status: 409,
    title: "The identity cannot be linked",
    help: "The attempt is no longer listed, the user has an identity already, or another user has this one. Unlink the other identity first, or ask the user to sign in again.",
  },
  user_disabled: {
    status: 409,
    title: "The user is disabled",
    help: "Enable the user first, then issue a token.",
  },
  round_open: {
    status: 409,
    title: "The partner has an open round for one of these cost types",
    help: "Use the open round, or close it first.",
  },
  round_required: {
    status: 409,
    title: "A cost type has not passed an integration round",
    help: "A live credential requires cost types that the partner has integrated, and only a partner with such types can support cost data. A test credential requires an open round that includes all of its cost types.",
  },
  round_ended: {
    status: 409,
    title: "The round has ended",
    help: "A closed or approved round cannot be changed. Open another round.",
  },
  mismatch_open: {
    status: 409,
    title: "The round cannot be approved yet",
    help: "Each cost type needs at least one match and no open mismatches. `errors` lists what is missing. Ask the partner to fix it, or dismiss the mismatches that you accept.",
  },
  round_moved: {
    status: 409,
    title: "New submissions arrived during approval",
    help: "Read the report again, then approve.",
  },
  archive_not_bound: {
    status: 409,
    title: "No archive is bound",
    help: "Nothing that the purge deletes is kept. `/docs/archive` says how to bind a bucket as `ARCHIVE`.",
  },
  idempotency_key_in_use: {
    status: 409,
    title: "A request with this Idempotency-Key is still running",
    help: "Resend the same request in a moment to get the response to the first one.",
  },
  idempotency_key_reused: {
    status: 422,
    title: "This Idempotency-Key was used for another request",
    help: "A key identifies one request for 24 hours. Use a new key for every new request.",
  },
  payload_too_large: {
    status: 413,
    title: "The body is too large",
    help: "A body can have at most 64 KiB, a cost batch 1 MiB and, as CSV, 1,000 rows. Send a smaller body.",
  },
  unsupported_media_type: {
    status: 415,
    title: "The content type is not supported",
    help: "Send JSON as application/json in UTF-8, and a cost batch as application/json or text/csv. Send a single cost in the query string, as application/x-www-form-urlencoded or as application/json.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    help: "Wait `Retry-After` seconds, then try again.",
  },
  internal_error: {
    status: 500,
    title: "Something went wrong on our side",
    help: "The request was not confirmed. Try again. If it keeps failing, send the operator this `request_id`.",
  },
  unavailable: {
    status: 503,
    title: "The database did not respond",
    help: "The request was not confirmed. Resend it after `Retry-After` seconds.",
  },
  not_configured: {
    status: 503,
    title: "The Worker is not configured correctly",
    help: "A binding or a variable in wrangler.toml is missing or wrong. `/readyz` and the log name it.",
  },
  not_migrated: {
    status: 503,
    title: "The database is not migrated",
    help: "Run `npx wrangler d1 migrations apply DB --local` (or `--remote` for a deployed service).",
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One invalid parameter: its name on the wire, and a phrase that follows that name, such as "is required". */
export type InputError = { param: string; message: string };

/** A wrong configuration. The message names bindings and variables, never their values, so it is safe to show. */
export class ConfigurationError extends Error {}

/** An error that is sent to the caller as a problem document. `detail` and `errors` must be safe to show. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: InputError[];
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    detail: string = ERRORS[code].help,
    more: { errors?: InputError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }
}
