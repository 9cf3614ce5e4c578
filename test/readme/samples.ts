/** Reads the samples of a page under /docs. */

export interface PageSample {
  /** As `data-language` names it. */
  language: string;
  code: string;
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

export function samplesIn(page: string): PageSample[] {
  return [...page.matchAll(/<pre data-language="(\w+)">([\s\S]*?)<\/pre>/g)].map(
    ([, language = "", code = ""]) => ({
      language,
      code: code
        .replace(/<[^>]+>/g, "")
        .replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity),
    }),
  );
}
