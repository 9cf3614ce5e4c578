/**
 * `npm run docs:render`: writes src/site/rendered.ts, the pages under /docs as HTML, from src/site/pages/*.md. With --check it
 * writes nothing and fails if the file is not up to date.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Marked, Renderer, type Token } from "marked";
import { toAnchor } from "../domain/texts.ts";
import { runRenderer } from "./command.ts";

const SITE = join(import.meta.dirname, "../site");

interface RenderedPage {
  title: string;
  /** The paragraph below the title. */
  lead: string;
  /** One for each heading of level 2, which is not part of the body. */
  sections: { title: string; body: string }[];
}

const FACT = /^\{[a-z]+(?: [a-z]+)+\}$/;

/** Throws where a page does not have the expected form. */
function render(markdown: string): RenderedPage {
  const ids = new Set<string>();
  let heading = "";
  const begin = (text: string) => {
    heading = text;
    const id = toAnchor(text);
    if (ids.has(id)) throw new Error(`Two headings have the anchor ${id}.`);
    ids.add(id);
    return id;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${begin(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // A fact that is a table.
      paragraph(token) {
        return FACT.test(token.text) ? `${token.text}\n` : Renderer.prototype.paragraph.call(this, token);
      },
      // A table that is wider than the screen scrolls in its own region.
      table(token) {
        const table = Renderer.prototype.table.call(this, token);
        return `<div class="table" tabindex="0" role="region" aria-label="${escapeHtml(heading)}">${table}</div>\n`;
      },
      code({ text, lang = "" }) {
        const code = lang === "console" ? renderConsole(text) : escapeHtml(text);
        return `<pre data-language="${escapeHtml(lang)}">${code}</pre>\n`;
      },
      html({ raw }) {
        throw new Error(`A page must not contain HTML: ${raw}`);
      },
    },
  });
  const [title, lead, ...rest] = marked.lexer(markdown).filter(({ type }) => type !== "space");
  if (title?.type !== "heading" || title.depth !== 1 || lead?.type !== "paragraph")
    throw new Error("A page starts with a heading of level 1 and one paragraph.");
  const sections: { title: string; tokens: Token[] }[] = [];
  for (const token of rest) {
    if (token.type === "heading" && token.depth === 2) {
      sections.push({ title: token.text, tokens: [] });
      continue;
    }
    const section = sections.at(-1);
    if (!section) throw new Error("Text after the first paragraph needs a heading of level 2.");
    section.tokens.push(token);
  }
  return {
    title: title.text,
    lead: shorten(marked.parseInline(lead.text, { async: false })),
    sections: sections.map(({ title, tokens }) => {
      begin(title);
      return { title, body: shorten(marked.parser(tokens, marked.defaults).trim()) };
    }),
  };
}

/** Commands without their prompts, which the stylesheet shows so that nobody copies them, and output. */
function renderConsole(text: string): string {
  const parts: { tag: "kbd" | "samp"; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const last = parts.at(-1);
    const continues = last && (last.tag === "samp" || last.lines.at(-1)?.endsWith("\\"));
    if (line.startsWith("$ ")) parts.push({ tag: "kbd", lines: [line.slice(2)] });
    else if (continues) last.lines.push(line);
    else parts.push({ tag: "samp", lines: [line] });
  }
  return parts.map(({ tag, lines }) => `<${tag}>${escapeHtml(lines.join("\n"))}</${tag}>`).join("\n");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * Without what HTML does not need, so that the script is smaller: escapes of quotes outside of tags, end tags that are optional, and
 * empty lines in tables.
 */
const shorten = (html: string) =>
  html
    .replaceAll(/<\/(?:p|li|td|th|tr|thead|tbody)>/g, "")
    .replaceAll(/\n*<(tr|tbody|\/table)>/g, "\n<$1>")
    .replaceAll(/(<[^>]*>)|&quot;|&#39;/g, (found, tag) => tag ?? (found === "&quot;" ? '"' : "'"));

/** A template literal. `{cost window}` becomes a fact of site/facts.ts, so that the text follows the code. */
const quote = (text: string) =>
  `\`${text
    .replaceAll(/[`\\]|\$(?=\{)/g, "\\$&")
    .replaceAll(/\{([a-z]+(?: [a-z]+)+)\}/g, (_, name) => `\${FACTS["${name}"]}`)}\``;

function toSource(pages: [name: string, page: RenderedPage][]): string {
  const entries = pages.map(
    ([name, { title, lead, sections }]) => `  ${/-/.test(name) ? JSON.stringify(name) : name}: {
    title: ${JSON.stringify(title)},
    lead: ${quote(lead)},
    sections: [
${sections.map(({ title, body }) => `      { title: ${JSON.stringify(title)}, body: ${quote(body)} },`).join("\n")}
    ],
  },`,
  );
  return [
    "/** Generated from src/site/pages/*.md by `npm run docs:render`. Do not edit. */",
    'import { FACTS } from "./facts.ts";',
    "",
    "export const PAGES = {",
    ...entries,
    "};",
    "",
  ].join("\n");
}

await runRenderer("docs:render", join(SITE, "rendered.ts"), () => {
  const files = readdirSync(join(SITE, "pages")).sort();
  return toSource(
    files.map((file) => [basename(file, ".md"), render(readFileSync(join(SITE, "pages", file), "utf8"))]),
  );
});
