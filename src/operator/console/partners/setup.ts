/** The form that creates a partner: the first of the steps from zero to live. */
import { html } from "hono/html";
import { card, pageHead } from "../../../pages/elements.ts";
import { form, sentBody } from "../../../pages/form.ts";
import { createPartner } from "../../api/partners.ts";
import { type Act, done, type Show } from "../layout.ts";
import { NAME } from "./settings.ts";

export const newPartnerPage: Show = async (_context, rejected) => ({
  title: "New partner",
  section: "Partners",
  body: html`
    ${pageHead("New partner")}
    ${card(
      { id: "name", title: "Name" },
      form({ action: "/operator/partners/new", fields: NAME, button: "Create partner" }, rejected),
    )}`,
});

export const submitNewPartner: Act = async (context, session, sent) => {
  const { id } = await createPartner.submit(context, session, { body: sentBody(NAME, sent) });
  return done(`/operator/partners/${id}`, "partner-created");
};
