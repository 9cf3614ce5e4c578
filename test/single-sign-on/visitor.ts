/** A browser without scripts: it keeps the cookies of each origin, and follows a sign-in through the provider's page. */

export class Visitor {
  readonly #jars = new Map<string, Map<string, string>>();

  jarOf(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    return jar;
  }

  /** `more` are headers that a browser adds. */
  async send(
    url: string,
    fields?: Record<string, string>,
    more: Record<string, string> = {},
  ): Promise<Response> {
    const jar = this.jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: {
        accept: "text/html",
        ...(cookie && { cookie }),
        ...(fields && { origin: new URL(url).origin }),
        ...more,
      },
      ...(fields && { method: "POST", body: new URLSearchParams(fields) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split("=");
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Begins at our address and signs in at the provider. Returns the address of the callback, which it does not open. */
  async authorize(start: string, account: string): Promise<string> {
    let url = locationOf(await this.send(start), start);
    for (let steps = 0; steps < 6 && !url.includes("/login/sso/callback"); steps++) {
      const fields = url.includes("/interaction/") ? { account } : undefined;
      url = locationOf(await this.send(url, fields), url);
    }
    return url;
  }

  /** The whole sign-in. Returns the response to the callback. */
  async signIn(start: string, account: string): Promise<Response> {
    return this.send(await this.authorize(start, account));
  }
}

function locationOf(response: Response, url: string): string {
  const location = response.headers.get("location");
  if (location === null) throw new Error(`${url} answered ${response.status} without a redirect`);
  return new URL(location, url).href;
}
