/** What single sign-on shows when nobody was signed in or nothing was confirmed. */
import { html } from "hono/html";
import type { SingleSignOn } from "../../auth/single-sign-on/settings.ts";
import type { Context } from "../../env.ts";
import { withContact } from "../../pages/contact.ts";
import { buttonLink } from "../../pages/elements.ts";
import { pageResponse } from "../../pages/frame.ts";
import { signInPage } from "../entry-pages.ts";

const RETRY_SECONDS = 30;

/** The sign-in page: those who have a password can go on. */
export function unavailablePage(context: Context, next: string): Promise<Response> {
  return signInPage(context, { next, isSingleSignOnDown: true }).then((page) => {
    const headers = new Headers(page.headers);
    headers.set("retry-after", String(RETRY_SECONDS));
    return new Response(page.body, { status: 503, headers });
  });
}

const FAILURES = {
  rejected: {
    status: 400,
    title: "You're not signed in",
    text: (name: string) =>
      `The response from ${name} was not valid, was canceled, or came too late. Nothing was changed. Try again.`,
  },
  not_linked: {
    status: 403,
    title: "You're not signed in",
    text: (name: string) =>
      `You signed in at ${name}, but no account here is linked to you yet. Ask your operator to link it on the page of your account. They can do this for 7 days. Tell them this code, by phone or in person, so that they can find you in the list:`,
  },
  not_verified: {
    status: 403,
    title: "You're not signed in",
    text: (name: string) =>
      `${name} says that your email address is not verified there. Verify it, then sign in again.`,
  },
  rejected_confirmation: {
    status: 400,
    title: "Not confirmed",
    text: (name: string) =>
      `The response from ${name} was not valid, was canceled, or came too late. You're still signed in, and nothing was changed. Try again.`,
  },
  session: {
    status: 403,
    title: "Not confirmed",
    text: () => "You signed in again, but your session here ended or is another one. Nothing was changed.",
  },
  no_time: {
    status: 403,
    title: "Not confirmed",
    text: (name: string) =>
      `${name} does not say when you signed in there, so it can't confirm anything. Nothing was changed. Ask your operator to turn on the claim auth_time.`,
  },
  time: {
    status: 403,
    title: "Not confirmed",
    text: (name: string) =>
      `You signed in at ${name} more than 5 minutes ago, or before you were asked to. Nothing was changed. Try again, and enter your password there.`,
  },
  person: {
    status: 403,
    title: "Not confirmed",
    text: (name: string) => `You signed in at ${name} as somebody else. Nothing was changed.`,
  },
} as const;

export function failurePage(
  context: Context,
  { name }: SingleSignOn,
  failure: keyof typeof FAILURES,
  next: string,
  code?: string,
): Promise<Response> {
  const { status, title, text } = FAILURES[failure];
  const isConfirmation = title === "Not confirmed";
  const again = new URLSearchParams({ ...(isConfirmation && { confirm: "yes" }), next });
  return pageResponse(context, {
    title,
    status,
    narrow: true,
    body: html`
      <section class="card">
        <h1>${title}</h1>
        <p data-error>${withContact(context.env, text(name))}</p>
        ${code === undefined ? "" : html`<p class="secret"><code>${code}</code></p>`}
        <p class="actions">
          ${buttonLink(`/login/sso?${again}`, "Try again", "")}
          ${isConfirmation ? buttonLink(next, "Back") : buttonLink(`/login?${new URLSearchParams({ next })}`, "Other ways to sign in")}
        </p>
      </section>
      <p class="hint">Request <code>${context.requestId}</code></p>`,
  });
}
