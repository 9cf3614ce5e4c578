// Starts the API reference. It sends nothing to other origins: no fonts, telemetry, proxy or services of the script's vendor.
import { createApiReference } from "/docs/script/standalone.esm.js";

createApiReference("#reference", {
  url: "/openapi.json",
  theme: "default",
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: "",
  persistAuth: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: {
    securitySchemes: {
      apiToken: { value: "Token token=YOUR_API_TOKEN" },
      costCredential: { value: "Token token=YOUR_COST_CREDENTIAL" },
    },
  },
});
