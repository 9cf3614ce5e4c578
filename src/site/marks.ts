/** What rendered.ts has instead of the most frequent HTML, so that the script is smaller. `npm run docs:render` writes it. */

/** The HTML of a text with marks. */
export const withoutMarks = (text: string): string =>
  text
    .replaceAll(/~([^~]*)~/g, "<code>$1</code>")
    .replaceAll(/!([^!]*)!/g, "<strong>$1</strong>")
    .replaceAll(/^\|\|/gm, "<tr>\n<td>")
    .replaceAll(/^\|/gm, "<td>")
    // A table that is wider than the screen scrolls in its own region, which is named after its heading.
    .replaceAll(/<table (".*")>/g, '<div class="table" tabindex="0" role="region" aria-label=$1><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("&#126;", "~")
    .replaceAll("&#33;", "!");

/** A text with marks. Throws if its HTML would be another. */
export function withMarks(html: string): string {
  const text = html
    .replaceAll("~", "&#126;")
    .replaceAll("!", "&#33;")
    .replaceAll(/<\/?code>/g, "~")
    .replaceAll(/<\/?strong>/g, "!")
    .replaceAll(/^<tr>\n<td>/gm, "||")
    .replaceAll(/^<td>/gm, "|")
    .replaceAll(/<div class="table" [^>]*aria-label=(".*")><table>/g, "<table $1>")
    .replaceAll("</table></div>", "</table>");
  if (withoutMarks(text) !== html) throw new Error(`A page must not contain what is a mark: ${html}`);
  return text;
}
