/** The parameter templates of partners, which are added to the URLs of their links byte for byte. */

/** The parameters as they are written: a template is not decoded, because its macros can contain any character. */
export function toPairs(template: string): { name: string; value: string }[] {
  return template.split("&").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return { name, value: value.join("=") };
  });
}
