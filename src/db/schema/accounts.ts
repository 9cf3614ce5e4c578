/** The tables of users and of how they sign in. */
import { apps } from "./apps.ts";
import { index, integer, primaryKey, reference, sqliteTable, text, uniqueIndex } from "./columns.ts";

export const users = sqliteTable("users", {
  id: integer().primaryKey(),
  email: text().notNull().unique(),
  role: text({ enum: ["member", "operator"] }).notNull(),
  /** Self-describing scrypt hash; null for a user who signs in with single sign-on. */
  passwordHash: text(),
  /** A disabled user has no API token and no session: a trigger deletes them. */
  disabledAt: integer(),
  createdAt: integer().notNull(),
  /** Until when a temporary password can be used; null for a password that the user chose. */
  passwordExpiresAt: integer(),
});

/** A signed-in browser. The cookie holds the session id; this row holds its SHA-256. */
export const sessions = sqliteTable(
  "sessions",
  {
    idHash: text().primaryKey(),
    userId: reference(() => users.id),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /**
     * While a sign-in waits for its code: the two-factor secret, sealed with the session's ID. Such a session grants nothing
     * else.
     */
    waitingSecret: text(),
    /** Such as `Firefox on Windows`. */
    browser: text().notNull().default(""),
    /** When the browser last sent a request, to within five minutes. */
    lastSeenAt: integer().notNull().default(0),
    /** When the password was last entered in this session, or the user last signed in at the provider to confirm; 0 for never. */
    passwordAt: integer().notNull().default(0),
    /** 1: of single sign-on, and the provider said that only a password was entered there. */
    onlyPassword: integer().notNull().default(0),
  },
  (table) => [index("sessions_by_user").on(table.userId)],
);

/** Two-factor authentication: one authenticator app per user. */
export const authenticators = sqliteTable("authenticators", {
  userId: integer()
    .primaryKey()
    .references(() => users.id),
  /** The secret of the app, sealed with the user's password. */
  sealed: text().notNull(),
  createdAt: integer().notNull(),
  /** The 30-second step of the last code, because a code is valid once. */
  lastStep: integer().notNull(),
});

/** What was entered wrong for a user, in the last hour in which anything was. */
export const failedSignIns = sqliteTable("failed_sign_ins", {
  userId: integer()
    .primaryKey()
    .references(() => users.id),
  /** Hours since 1970. */
  hour: integer().notNull(),
  /** The passwords of sign-ins. */
  count: integer().notNull(),
  /** For the limit: the codes from browsers that are not known. A code is counted before it is judged. */
  codes: integer().notNull(),
  /** The codes, from all browsers. */
  wrongCodes: integer().notNull().default(0),
  /** The passwords that were asked for after the sign-in. */
  wrongConfirmations: integer().notNull().default(0),
});

/** The recovery codes that are left, each under its SHA-256. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  { userId: reference(() => users.id), codeHash: text("code_hash").notNull() },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

/**
 * The browsers that have signed in as a user. The cookie holds a random ID; the row holds its SHA-256. Triggers delete the rows when
 * the password changes, and when two-factor authentication is turned on or off.
 */
export const devices = sqliteTable(
  "devices",
  {
    userId: reference(() => users.id),
    idHash: text().notNull(),
    expiresAt: integer().notNull(),
    /** The hour of the last wrong code from this browser. Hours since 1970. */
    codesHour: integer().notNull().default(0),
    /** The codes of that hour. A code is counted before it is judged. */
    codes: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.userId, table.idHash] })],
);

/** One API token per user. A reset replaces the row, so a token without a row here is invalid. */
export const apiTokens = sqliteTable("api_tokens", {
  tokenHash: text().primaryKey(),
  userId: integer("user_id")
    .notNull()
    .unique()
    .references(() => users.id),
  hint: text().notNull(),
  /** The token itself, encrypted with the user's password; null when an operator issued it. */
  sealed: text(),
  createdAt: integer().notNull(),
  /** Days since 1970 in UTC; null before the first use. */
  lastUsedDay: integer(),
  /** The user's role when the token was issued. The token never grants more than this. */
  role: text({ enum: ["member", "operator"] })
    .notNull()
    .default("member"),
});

/**
 * Tokens that a user creates for programs, beside the API token, each with a scope and an end. Ending one deletes its row, and so
 * does a trigger when the user is disabled.
 */
export const accessTokens = sqliteTable(
  "access_tokens",
  {
    tokenHash: text().primaryKey(),
    userId: reference(() => users.id),
    name: text().notNull(),
    hint: text().notNull(),
    /** The prefix of the token says the same, and its hash proves it. */
    scope: text({ enum: ["read", "write"] }).notNull(),
    /** The only app that it is for; null for every app of the user. */
    appToken: text().references(() => apps.token),
    /** The user's role when the token was created. The token never grants more than this. */
    role: text({ enum: ["member", "operator"] }).notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** Days since 1970 in UTC; null before the first use. */
    lastUsedDay: integer(),
  },
  (table) => [index("access_tokens_by_user").on(table.userId)],
);

/** Who a user is at the provider of single sign-on. Triggers and statements delete it when the user gets a password or is erased. */
export const identities = sqliteTable(
  "identities",
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: integer("user_id")
      .notNull()
      .unique()
      .references(() => users.id),
    createdAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] })],
);

/** Somebody whom the provider knows by the email address of a user, but who was not signed in. An operator can link them. */
export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    id: integer().primaryKey(),
    userId: reference(() => users.id),
    issuer: text().notNull(),
    subject: text().notNull(),
    email: text().notNull(),
    attemptedAt: integer().notNull(),
    /** 1: the provider said that the address is verified. 0: it did not say. */
    isVerified: integer().notNull().default(0),
    /** Shown to who signed in, so that an operator can ask for it. Such as `K7F2QX`. */
    code: text().notNull().default(""),
  },
  (table) => [uniqueIndex("attempts_by_user").on(table.userId, table.issuer, table.subject)],
);

/** The SHA-256 of each state whose code was exchanged at the provider, so that no callback is accepted twice. */
export const usedStates = sqliteTable("used_states", {
  stateHash: text().primaryKey(),
  /** Later than the cookie that belongs to it. */
  expiresAt: integer().notNull(),
});
