/** The pages of webhooks, for the members of an app and for operators: the list, and one webhook with its newest deliveries. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { findWebhookKey } from "../../auth/webhook-secrets.ts";
import { LISTED, listDeliveries } from "../../db/webhooks/deliveries.ts";
import * as db from "../../db/webhooks/webhooks.ts";
import { toIso } from "../../domain/time.ts";
import { MAX_URL } from "../../domain/webhooks/receiver.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { invalidRequest, parsePart } from "../../http/input/parse.ts";
import {
  createWebhook,
  findWebhook,
  judgeUrl,
  receiverUrl,
  rotateSecret,
} from "../../usecases/webhooks/webhooks.ts";
import { withContact } from "../contact.ts";
import { badge, breadcrumb, card, copyable, facts, notice, pageHead } from "../elements.ts";
import { confirmation, form } from "../forms/form.ts";
import { table } from "../lists/table.ts";
import { NONE, showCount } from "../locale.ts";
import { type Markup, time } from "../markup.ts";
import type { Act, Owner, Screen, Show } from "./owner.ts";

const HINT = "https, port 443, a host on the public internet.";

function stateBadge({ endedBecause, failingSince }: db.WebhookRow): Markup {
  if (endedBecause !== null)
    return badge(
      endedBecause === "gone" ? "Off: the receiver returned 410" : "Off: failed for 5 days",
      "error",
    );
  return failingSince === null ? badge("On", "ok") : badge("Failing", "warn");
}

const notSetUp = ({ env }: Context, appToken: string | null): Markup =>
  html`<p class="muted">${
    appToken === null
      ? html`Not set up. <a href="/docs/webhooks#set-up">How to set up webhooks</a>`
      : withContact(env, "Not set up. Ask your operator to set up webhooks.")
  }</p>`;

/** The list, below the rules of alerts. */
/** `canBeUsed`: whether webhooks are set up, or there are some. */
export async function webhooksCard(
  context: Context,
  { appToken, path }: Owner,
): Promise<{ card: Markup; canBeUsed: boolean }> {
  const { rows } = await db.listWebhooks(
    context.env.DB,
    { after: null, before: null, limit: 100 },
    { appToken },
  );
  const isSetUp = findWebhookKey(context.env) !== undefined;
  const shown = card(
    {
      ...{ id: "webhooks", title: `Webhooks (${rows.length})` },
      aside: isSetUp ? html`<a href="${path}/webhooks/new">New webhook</a>` : "",
    },
    isSetUp ? "" : notSetUp(context, appToken),
    table({
      label: "Webhooks",
      rows,
      empty: isSetUp ? html`<p class="muted">None. A webhook sends alerts to a program or a chat.</p>` : "",
      columns: [
        { heading: "URL", cell: ({ id, url }) => html`<a href="${path}/webhooks/${id}">${url}</a>` },
        { heading: "State", cell: stateBadge },
      ],
    }),
  );
  return { card: shown, canBeUsed: isSetUp || rows.length > 0 };
}

export const newWebhookPage: Show = async (context, { appToken, path, passwordField }, rejected) => {
  const receiver = form(
    {
      action: `${path}/webhooks/new`,
      fields: {
        url: { label: "URL of the receiver", type: "url", required: true, maxlength: MAX_URL, hint: HINT },
      },
      more: passwordField?.("receiver", rejected) ?? "",
      button: "Create webhook",
      cancel: path,
    },
    rejected,
  );
  return {
    title: "New webhook",
    body: html`
      ${breadcrumb([["Alerts", path]], "New webhook")}
      ${pageHead("New webhook")}
      ${card(
        { id: "receiver", title: "Where to send events" },
        html`<p class="muted">linkledger sends each event as signed JSON. <a href="/docs/webhooks">What a receiver gets</a></p>`,
        findWebhookKey(context.env) ? receiver : notSetUp(context, appToken),
      )}`,
  };
};

/** Shows a new secret, which cannot be shown again. */
function secretPage({ path }: Owner, id: number, secret: string): Screen {
  const title = "Secret of the webhook";
  return {
    title,
    body: html`
      ${breadcrumb([["Alerts", path]], title)}
      ${pageHead(title)}
      ${card(
        { id: "new-secret", title: "Secret" },
        notice("Copy this now. You won't be able to see it again.", "warn", { announced: true }),
        html`<p>${copyable("secret", secret, "secret")}</p>
          <p>The receiver verifies events with it. <a href="/docs/webhooks#verify-an-event">How to verify an event</a></p>
          <p><a class="button" href="${path}/webhooks/${id}">Done</a></p>`,
      )}`,
  };
}

export const submitNewWebhook: Act = async (context, owner, sent) => {
  const errors: InputError[] = [];
  const parsed = parsePart(z.object({ url: receiverUrl }), { url: sent.get("url") ?? undefined }, errors);
  const judged = parsed && judgeUrl(context, parsed.url);
  if (judged && "error" in judged) errors.push({ param: "url", message: judged.error });
  await owner.confirm?.(errors);
  if (!parsed) throw invalidRequest(errors);
  const { row, secret } = await createWebhook(context, owner, { appToken: owner.appToken, ...parsed });
  return secretPage(owner, row.id, secret);
};

/** Throws not_found. */
function webhookOfPath({ env, params }: Context, { appToken }: Owner) {
  const id = params.id ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", "This webhook does not exist.");
  return findWebhook(env.DB, Number(id), appToken);
}

export const webhookPage: Show = async (context, owner, rejected) => {
  const { path } = owner;
  const row = await webhookOfPath(context, owner);
  const here = `${path}/webhooks/${row.id}`;
  const deliveries = await listDeliveries(context.env.DB, row.id);
  const act = (what: string, button: string) =>
    form({ action: here, hidden: { action: what }, button, kind: "secondary" });
  const body = html`
    ${breadcrumb([["Alerts", path]], "Webhook")}
    ${pageHead("Webhook")}
    ${card(
      { id: "receiver", title: "Receiver" },
      facts(
        ["URL", row.url],
        ["State", stateBadge(row)],
        ["Created", time(toIso(row.createdAt))],
        row.failingSince !== null && ["Failing since", time(toIso(row.failingSince))],
      ),
      row.endedBecause === null ? act("test", "Send test event") : act("on", "Turn on webhook"),
    )}
    ${card(
      { id: "deliveries", title: "Deliveries" },
      html`<p class="muted">The newest ${LISTED}. Events are sent every minute, and tried again for three days.</p>`,
      table({
        label: "Newest deliveries",
        rows: deliveries,
        empty: html`<p class="muted">None yet. An event is listed once it was sent.</p>`,
        columns: [
          { heading: "Event", cell: ({ type }) => html`<code>${type}</code>` },
          { heading: "Happened", cell: ({ happenedAt }) => time(toIso(happenedAt)) },
          {
            heading: "Result",
            cell: ({ deliveredAt, error, attempts, dueAt }) =>
              deliveredAt !== null
                ? badge("Delivered", "ok")
                : attempts === 0 || error === null
                  ? badge("Waiting")
                  : badge(error, dueAt === null ? "error" : "warn"),
          },
          { heading: "Attempts", kind: "number", cell: ({ attempts }) => showCount(attempts) },
          {
            heading: "Next attempt",
            cell: ({ dueAt }) => (dueAt === null ? NONE : time(toIso(dueAt))),
          },
          row.endedBecause === null && {
            heading: "Send again",
            kind: "action",
            cell: ({ id }) =>
              form({
                action: here,
                hidden: { action: "again", delivery: String(id) },
                button: html`Send again<span class="visually-hidden">: delivery ${id}</span>`,
                kind: "small secondary",
              }),
          },
        ],
      }),
    )}
    ${card(
      { id: "change", title: "Change", kind: "danger" },
      confirmation({
        action: here,
        hidden: { action: "rotate" },
        summary: "Create a new secret",
        explanation: "For 24 hours, events are signed with the old secret too.",
        more: owner.passwordField?.("rotate", rejected) ?? "",
        isOpen: rejected !== undefined,
        button: "Create secret",
      }),
      confirmation({
        action: here,
        hidden: { action: "delete" },
        summary: "Delete this webhook",
        explanation: "Its deliveries are deleted too, and waiting events are not sent.",
        button: "Delete webhook",
      }),
    )}`;
  return { title: "Webhook", body };
};

/** A form of a page with others, whose response has a secret. */
export const showsSecret = (sent: URLSearchParams) => sent.get("action") === "rotate";

export const submitToWebhook: Act = async (context, owner, sent) => {
  const { DB } = context.env;
  const row = await webhookOfPath(context, owner);
  const here = `${owner.path}/webhooks/${row.id}`;
  switch (sent.get("action")) {
    case "test":
      await db.testWebhook(DB, owner, row);
      return { to: here, notice: "webhook-tested" };
    case "on":
      await db.turnOnWebhook(DB, owner, row);
      return { to: here, notice: "webhook-on" };
    case "rotate":
      return secretPage(owner, row.id, await rotateSecret(context, owner, row));
    case "again": {
      const id = Number(/^[1-9]\d{0,14}$/.exec(sent.get("delivery") ?? "")?.[0] ?? 0);
      if (await db.sendAgain(DB, owner, row, id)) return { to: here, notice: "sent-again" };
      throw new AppError(
        "not_found",
        "This webhook is off, or the delivery was deleted. Turn on the webhook, or choose another delivery.",
      );
    }
    case "delete":
      await db.deleteWebhook(DB, owner, row);
      return { to: owner.path, notice: "webhook-deleted" };
    default:
      throw new AppError("invalid_request", "The form is not complete. Open the page again.");
  }
};
