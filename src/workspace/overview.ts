/** The Overview page of an app. */
import { html } from "hono/html";
import type { Show } from "./frame.ts";

export const overviewPage: Show = async () => ({ title: "Overview", body: html`<h1>Overview</h1>` });
