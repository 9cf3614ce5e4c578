import { expect, it } from "vitest";
import type { Context } from "../../src/env.ts";
import { type ServedFile, servedScript, servedStyles } from "../../src/http/served-file.ts";
import { ORIGIN } from "../harness.ts";

/** What a browser gets of a file. */
async function serve({ href, route }: ServedFile): Promise<[type: string | null, text: string]> {
  const read = route.methods.GET as (context: Context) => Response;
  const response = read({ url: new URL(href, ORIGIN) } as Context);
  return [response.headers.get("content-type"), await response.text()];
}

it("a script is a call of its function", async () => {
  const [type, text] = await serve(
    servedScript("/file.js", () => {
      console.log("Loaded");
    }),
  );
  expect(type).toBe("text/javascript; charset=utf-8");
  expect(text).toMatch(/^\(\(\) ?=> ?\{\s*console\.log\("Loaded"\);\s*\}\)\(\);$/);
});

it("styles have no comments and no spaces that mean nothing", async () => {
  const source = `/* One
   and two. */
a {
  color: red; /* three */
  margin: 0 auto;
}
`;
  expect(await serve(servedStyles("/file.css", source))).toEqual([
    "text/css; charset=utf-8",
    "a{color:red;margin:0 auto}",
  ]);
});
