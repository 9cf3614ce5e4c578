/** The Links page of an app. */
import { html } from "hono/html";
import type { Show } from "./frame.ts";

export const linksPage: Show = async () => ({ title: "Links", body: html`<h1>Links</h1>` });
