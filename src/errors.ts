/** The one table of everything that can go wrong: code → status and title. It is enum, HTTP status and documentation. */

export const ERRORS = {
  invalid_request: {
    status: 400,
    title: "The request is malformed",
    help: "`errors` names every parameter at fault and what is wrong with it. Mend them all and send the request again.",
  },
  level_limit: {
    status: 400,
    title: "A link has at most four levels",
    help: "The parent is a creative (level 4). Name a parent of level 1, 2 or 3.",
  },
  unknown_partner: {
    status: 400,
    title: "No such partner",
    help: "Take `partner_id` from the list of partners, or send null to detach the partner.",
  },
  partner_without_cost_data: {
    status: 400,
    title: "Cost data needs a partner that supports it",
    help: "Attach a partner whose `supports_cost_data` is true, to this link or to one above it, then switch cost data on.",
  },
  cost_id_conflict: {
    status: 400,
    title: "Another cost was sent with this cost ID",
    help: "A cost ID stands for one engagement. The first cost sent with it stays; give each engagement an ID of its own.",
  },
  wrong_engagement: {
    status: 400,
    title: "The engagement with this cost ID is of the wrong kind",
    help: "cpm needs an impression, cpc a click, cpi and cpe a click or else an impression with the same cost ID.",
  },
  window_closed: {
    status: 400,
    title: "The engagement is more than seven days old",
    help: "Costs are accepted up to and including seven days after the click or impression. Send them earlier.",
  },
  unauthorized: {
    status: 401,
    title: "Credentials are missing or not valid",
    help: "Send `Authorization: Token token=…` or `Authorization: Bearer …` with an API token or a cost credential, whichever the path takes. One that was reset stays refused.",
  },
  session_ended: {
    status: 401,
    title: "You are not signed in",
    help: "The session has ended. Open the account page and sign in again.",
  },
  wrong_password: {
    status: 403,
    title: "The password is not right",
    help: "Nothing was changed. Enter the password of the account that is signed in.",
  },
  cross_site: {
    status: 403,
    title: "The request came from another site",
    help: "Forms are taken from our own pages alone. Nothing was changed. Open the account page and try again there.",
  },
  credential_revoked: {
    status: 403,
    title: "This cost credential was revoked",
    help: "Ask the operator for a new one.",
  },
  test_credential: {
    status: 403,
    title: "A test credential posts only into an open integration round",
    help: "Ask the operator to open a round, or use your live credential.",
  },
  cost_type_not_integrated: {
    status: 403,
    title: "This cost type is not integrated for the partner",
    help: "The partner does not support cost data, or its credential is not cleared for this cost type. Ask the operator for an integration round.",
  },
  cost_data_disabled: {
    status: 403,
    title: "Cost data was off for the link of this engagement",
    help: "Ask the owner of the app to switch cost data on for the link. Engagements recorded before that stay without cost.",
  },
  operator_required: {
    status: 403,
    title: "This is for operators",
    help: "You are a member. Ask an operator of the service.",
  },
  round_full: {
    status: 403,
    title: "The integration round is full",
    help: "A round keeps 1,000 entries. Ask the operator to close it and to open another.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    help: "The path, app, link or record does not exist, or is not yours to see.",
  },
  request_timeout: {
    status: 408,
    title: "The body did not arrive in time",
    help: "A body must have arrived thirty seconds after the request. Nothing was done: send the same request again.",
  },
  account_changed: {
    status: 409,
    title: "The account changed in the meantime",
    help: "The API token or the password was changed at the same moment, here or in another window. Nothing was done now: open the account page again to see how it stands.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    help: "The `Allow` header lists the methods of this path.",
  },
  email_taken: {
    status: 409,
    title: "Another user has this e-mail address",
    help: "Addresses are compared without regard to case. Change the existing user, or give another address.",
  },
  already_member: {
    status: 409,
    title: "The user is a member of this app already",
    help: "Nothing is left to do.",
  },
  last_operator: {
    status: 409,
    title: "The last operator stays",
    help: "Make another user operator first, then change or disable this one.",
  },
  user_disabled: {
    status: 409,
    title: "The user is disabled",
    help: "Enable the user first, then issue a token.",
  },
  round_open: {
    status: 409,
    title: "The partner has an open round for one of these cost types",
    help: "Go on in the open round, or close it first.",
  },
  round_required: {
    status: 409,
    title: "A cost type has not come through a round",
    help: "A live credential needs cost types that the partner has integrated, and costs are taken of such a partner alone; a test credential needs an open round that holds them all.",
  },
  round_ended: {
    status: 409,
    title: "The round has ended",
    help: "A round that is closed or approved stays as it is. Open another.",
  },
  mismatch_open: {
    status: 409,
    title: "A mismatch is open",
    help: "A cost type passes with at least one match and no open mismatch: have those named here mended, or dismiss them.",
  },
  round_moved: {
    status: 409,
    title: "The round received something while it was being approved",
    help: "Read the report again, then approve.",
  },
  idempotency_key_in_use: {
    status: 409,
    title: "A request with this Idempotency-Key is still running",
    help: "Send the same request again in a moment: it gives the answer of the first.",
  },
  idempotency_key_reused: {
    status: 422,
    title: "Another request was sent with this Idempotency-Key",
    help: "A key stands for one request for 24 hours. Give every new request a key of its own.",
  },
  payload_too_large: {
    status: 413,
    title: "The body is too large",
    help: "A body holds at most 64 KiB, that of a cost batch 1 MiB.",
  },
  unsupported_media_type: {
    status: 415,
    title: "The content type is not supported",
    help: "Send JSON as application/json, and costs in the query string or as application/x-www-form-urlencoded.",
  },
  rate_limited: {
    status: 429,
    title: "Too many attempts",
    help: "Wait `Retry-After` seconds, then try again.",
  },
  internal_error: {
    status: 500,
    title: "Something went wrong on our side",
    help: "Nothing was told as done. Try again; if it stays, give the operator the `request_id`.",
  },
  unavailable: {
    status: 503,
    title: "The database did not answer",
    help: "Nothing was told as done. Send the same request again after `Retry-After` seconds.",
  },
  not_configured: {
    status: 503,
    title: "The Worker is not configured correctly",
    help: "A binding or a variable in wrangler.toml is missing or wrong. `/readyz` and the log name it.",
  },
  not_migrated: {
    status: 503,
    title: "The database is not migrated yet",
    help: "Run `npx wrangler d1 migrations apply DB --local` (or `--remote` for a deployed service).",
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One fault in a request: which parameter (its name on the wire) and what is wrong with it. */
export interface InputError {
  param: string;
  message: string;
}

/** A refusal that the caller is told of, as a problem document. `detail` and `errors` must be safe to show. */
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
