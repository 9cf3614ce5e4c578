/** The Partners page of an app. */
import { html } from "hono/html";
import type { Show } from "./frame.ts";

export const partnersPage: Show = async () => ({ title: "Partners", body: html`<h1>Partners</h1>` });
