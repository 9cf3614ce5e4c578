/** Whose alerts and webhooks a page shows, and what its frame does with it. */
import type { Actor } from "../../db/audit.ts";
import type { Context } from "../../env.ts";
import type { InputError } from "../../errors.ts";
import type { RejectedForm } from "../forms/fields.ts";
import type { Markup } from "../markup.ts";
import type { AlertNotice } from "./notices.ts";

/** An app, for its members, or operators. */
export interface Owner extends Actor {
  /** Null: operators. */
  appToken: string | null;
  /** Of the page of alerts. */
  path: string;
  /** The names of partners by ID, and for operators those of apps by token. */
  readNames: () => Promise<Names>;
  /** What else the page of alerts has. */
  more?: Markup;
  /** Of operators: throws `errors`, and then what is wrong with the password that the form sent. */
  confirm?: (errors: InputError[]) => Promise<void>;
  /** Asks for the password before a secret is shown, if that is necessary. `form`: the prefix of its ID. */
  passwordField?: (form: string, rejected?: RejectedForm) => Markup | "";
}

export interface Names {
  partners: ReadonlyMap<number, string>;
  apps: ReadonlyMap<string, string>;
}

export interface Screen {
  title: string;
  body: Markup;
}

/** What was done, for a notice on the page that it leads to. */
export interface Done {
  to: string;
  notice: AlertNotice;
}

export type Show = (context: Context, owner: Owner, rejected?: RejectedForm) => Promise<Screen>;
/** Handles the form of a page. Throws what is wrong, for the page to show. */
export type Act = (context: Context, owner: Owner, sent: URLSearchParams) => Promise<Screen | Done>;
