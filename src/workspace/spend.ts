/** The Spend page of an app. */
import { html } from "hono/html";
import type { Show } from "./frame.ts";

export const spendPage: Show = async () => ({ title: "Spend", body: html`<h1>Spend</h1>` });
