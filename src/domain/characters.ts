/** The classes of characters that some texts cannot have. The expressions find all, so use them with `search` and `replace`. */

let invisibleOnes: RegExp | undefined;

/** Line breaks and other control characters. */
export const CONTROL = /\p{Cc}/gu;

/**
 * Characters that show nothing, with which one name can look like another: zero-width ones, those that change the direction, and
 * blank letters. Not where a text needs them: the variation selector after an emoji or a keycap, the joiner between two emoji, and
 * joiners between two letters of a script that joins them (a virama or an accent can follow the first).
 */
// Created with its first use: to read its classes takes V8 as long as a quarter of the rest of a start.
export const invisible = (): RegExp =>
  (invisibleOnes ??=
    /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}](?<!\p{Extended_Pictographic}\ufe0f)(?<![\d#*]\ufe0f(?=\u20e3))(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d(?=\p{Extended_Pictographic}))(?<!(?=[\p{L}\p{M}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}][\u200c\u200d](?=\p{L})(?=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}]))/gu);

/** Removes white space and invisible characters at both ends, which files and templates add to an ID. */
export function trimInvisible(text: string): string {
  if (isPrinted(text.charCodeAt(0)) && isPrinted(text.charCodeAt(text.length - 1))) return text;
  const shows = (character: string) => character.trim() !== "" && character.search(invisible()) < 0;
  const characters = [...text];
  const first = characters.findIndex(shows);
  return first < 0 ? "" : characters.slice(first, characters.findLastIndex(shows) + 1).join("");
}

const isPrinted = (ascii: number) => ascii > 0x20 && ascii < 0x7f;

/** Shows the invisible characters of a text that a partner or the public chose as escapes, such as `\u202E`. */
export function showInvisible(text: string): string {
  return text.replace(invisible(), (character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? "";
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}
