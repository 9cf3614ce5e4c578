/** Files that are imported as text, see `rules` in wrangler.toml. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.svg" {
  const text: string;
  export default text;
}
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.txt" {
  const text: string;
  export default text;
}
/** Functions that run in a browser, see http/served-file.ts. */
declare module "*.client.js" {
  export function script(): void;
}
