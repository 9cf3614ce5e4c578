/** The classes of characters that some texts cannot have. Both expressions find all, so use them with `search` and `replace`. */

/** Line breaks and other control characters. */
export const CONTROL = /\p{Cc}/gu;

/**
 * Characters that show nothing, with which one name can look like another: zero-width ones, those that change the direction, and
 * blank letters. The variation selector after an emoji is fine, because the emoji shows it.
 */
export const INVISIBLE =
  /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}](?<!\p{Extended_Pictographic}\ufe0f)/gu;

/** Shows the invisible characters of a text that a partner or the public chose as escapes, such as `\u202E`. */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? "";
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}
