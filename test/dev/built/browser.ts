/** A browser that keeps cookies and follows no redirects. */
import { DEMO } from "../../../src/dev/demo.ts";

export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async send(path: string, fields?: Record<string, string>) {
    const cookie = [...this.cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(this.#url + path, {
      redirect: "manual",
      headers: { accept: "text/html", cookie, origin: this.#url },
      ...(fields && { method: "POST", body: new URLSearchParams(fields) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split("=");
      this.cookies.set(name, value);
    }
    return {
      status: response.status,
      location: response.headers.get("location"),
      text: await response.text(),
    };
  }

  /** Enters the password of the demo user. Returns where that leads. */
  async signIn() {
    const { location } = await this.send("/login", { email: DEMO.email, password: DEMO.password });
    return location;
  }
}
