/** The headers of pages, and redirects between them. */

/**
 * Redirects the browser with a GET request. `address` is a path on this origin that starts with a slash, or the address of another
 * origin, which no caller chooses.
 */
export function redirectResponse(
  address: string,
  headers: Record<string, string> = {},
  status = 303,
): Response {
  return new Response(null, { status, headers: { location: address, ...securityHeaders(), ...headers } });
}

/** The headers of every page and of every redirect between pages. */
export function securityHeaders(): Record<string, string> {
  return {
    "cache-control": "no-store",
    "content-security-policy":
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    // With no-referrer, browsers would send `Origin: null` with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}
