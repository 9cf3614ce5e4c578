/** Replaces modules of csv-parse that `csv.ts` never uses (the aliases in wrangler.toml). */
export const delimiter_discover = () => undefined;
export const normalize_columns_array = (columns: unknown) => columns;
