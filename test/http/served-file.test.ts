import { expect, it } from "vitest";
import type { Context } from "../../src/env.ts";
import { servedFile } from "../../src/http/served-file.ts";
import { ORIGIN } from "../harness.ts";

/** What a browser gets of a file. */
async function serve(type: string, source: string): Promise<string> {
  const { href, route } = servedFile("/file.x", type, source);
  const read = route.methods.GET as (context: Context) => Response;
  return read({ url: new URL(href, ORIGIN) } as Context).text();
}

it("a script has no comments, and its texts are as they were written", async () => {
  const source = `// One.
/** Two. */
const accepted = "image/*";
  // Three.
  const other = "*/*"; // four
`;
  expect(await serve("text/javascript; charset=utf-8", source)).toBe(
    `const accepted = "image/*";\nconst other = "*/*"; // four`,
  );
});

it("styles have no comments and no spaces that mean nothing", async () => {
  const source = `/* One
   and two. */
a {
  color: red; /* three */
  margin: 0 auto;
}
`;
  expect(await serve("text/css; charset=utf-8", source)).toBe("a{color:red;margin:0 auto}");
});
