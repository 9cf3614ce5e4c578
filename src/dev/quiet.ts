/** Keeps wrangler quiet and offline, for whoever imports this: no metrics, and no request for sample data about the caller. */
Object.assign(process.env, {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
});
