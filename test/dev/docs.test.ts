import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, run } from "./run.ts";

test("the HTML of the pages under /docs is up to date with their Markdown", () => {
  const { status, stderr } = run(process.execPath, ["src/dev/render-docs.ts", "--check"]);
  expect([status, stderr]).toEqual([0, ""]);
});

/** The text without code, where `](` and `#` mean something else. */
const proseOf = (path: string) =>
  readFileSync(join(ROOT, path), "utf8")
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/`[^`\n]*`(?!\])/g, (code) => (code.includes("](") ? "" : code));

/** The fragments of a file's headings, as GitHub makes them. */
const fragmentsOf = (path: string) =>
  [...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("each link of a Markdown file to another file, or to a heading of one, leads somewhere", () => {
  const files = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
  const links = files.flatMap((file) =>
    [...proseOf(file).matchAll(/\]\((?!https?:|mailto:|\/)([^)\s]+)\)/g)].map(([, to = ""]) => ({
      file,
      to,
    })),
  );
  const broken = links.filter(({ file, to }) => {
    const [path, fragment] = to.split("#");
    const target = path ? join(dirname(file), path) : file;
    if (!existsSync(join(ROOT, target))) return true;
    return fragment !== undefined && target.endsWith(".md") && !fragmentsOf(target).includes(fragment);
  });
  expect(broken).toEqual([]);
  expect(links).toContainEqual({ file: "README.md", to: "test/README.md#budgets" });
});

test("the workflow runs in the Node of the package", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const workflow = readFileSync(join(ROOT, ".github/workflows/ci.yml"), "utf8");
  const images = [...workflow.matchAll(/image: (.*)/g)].map(([, image]) => image);
  expect(images).toEqual(Array(2).fill(`node:${devDependencies.node}-bookworm`));
  const actions = [...workflow.matchAll(/uses: (.*)/g)].map(([, action]) => action);
  expect(actions.filter((action) => !/@[0-9a-f]{40} # v[\d.]+$/.test(action ?? ""))).toEqual([]);
});

test("the newest version of the changelog has a date, and is that of the package", () => {
  const changelog = readFileSync(join(ROOT, ".github/CHANGELOG.md"), "utf8");
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const versions = [...changelog.matchAll(/^## (?!Next$)(.*)$/gm)].map(([, heading]) => heading);
  expect(versions[0]).toMatch(new RegExp(`^${version} \\(2`));
  for (const one of versions) expect(one).toMatch(/^\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)$/);
});
