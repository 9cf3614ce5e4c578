/**
 * What operators manage, as one list of fields: the item of the API, the input that creates or changes it, the values for the
 * database and the form are made from it. `display_name` in the API is the column `displayName`.
 */
import * as z from "zod/mini";
import { toIso } from "../domain/time.ts";
import { timestamp } from "../http/response-schemas.ts";
import type { FieldSpec } from "../pages/forms/form.ts";

interface Field {
  /** In the item. An optional one is no column: its operation adds it. */
  item?: z.ZodMiniType;
  /** Makes the value of the item from that of the column. */
  from?: (stored: never) => unknown;
  /** Makes the value of the item from the row. */
  of?: (row: never) => unknown;
  /** What operators send. */
  input?: z.ZodMiniType;
  /** What a new one has if they send nothing. */
  default?: unknown;
  form?: FieldSpec;
}

type Camel<K> = K extends `${infer Start}_${infer Rest}` ? `${Start}${Capitalize<Camel<Rest>>}` : K & string;
/** The fields that have this part, with it. */
type Part<F, P extends string, T> = {
  [K in keyof F as F[K] extends Record<P, unknown> ? K : never]: F[K] extends Record<P, infer V extends T>
    ? V
    : never;
};
type Items<F> = Part<F, "item", z.ZodMiniType>;
type Inputs<F> = Part<F, "input", z.ZodMiniType>;
type Created<F> = {
  [K in keyof Inputs<F>]: K extends keyof Part<F, "default", unknown>
    ? z.ZodMiniDefault<Inputs<F>[K]>
    : Inputs<F>[K];
};
type Changed<F> = { [K in keyof Inputs<F>]: z.ZodMiniOptional<Inputs<F>[K]> };
type Values<F> = { [K in keyof Items<F>]: z.output<Items<F>[K]> };
/** The columns that the item is made of: those of its fields but for what is optional or made of the row. */
type Columns<F> = {
  [K in keyof Values<F> as K extends keyof Part<F, "of", unknown>
    ? never
    : undefined extends Values<F>[K]
      ? never
      : Camel<K>]: F[K & keyof F] extends { from: (stored: infer S) => unknown } ? S : Values<F>[K];
};
type Made<Each> = Each extends { of: (row: infer R) => unknown } ? R : never;
type Row<F> = Columns<F> & ([Made<F[keyof F]>] extends [never] ? unknown : Made<F[keyof F]>);

const toCamel = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

export function noun<const F extends Record<string, Field>>(id: string, fields: F) {
  /** An object with a value for each field that has one. */
  const each = (toValue: (field: Field, name: string) => unknown) =>
    Object.fromEntries(
      Object.entries<Field>(fields)
        .map(([name, field]) => [name, toValue(field, name)] as const)
        .filter(([, value]) => value !== undefined),
    );
  const inputs = each(({ input }) => input);
  return {
    item: z.strictObject(each(({ item }) => item) as Items<F>).with(z.meta({ id })),
    toItem(row: Row<F>): z.output<z.ZodMiniObject<Items<F>, z.core.$strict>> {
      const read = ({ item, from, of }: Field, name: string) => {
        if (of) return of(row as never);
        const stored = (row as Record<string, unknown>)[toCamel(name)];
        return item && from ? from(stored as never) : item && stored;
      };
      return each(read) as never;
    },
    /** The fields of the input that creates one. */
    created: each(
      ({ input, ...field }) => input && ("default" in field ? z._default(input, field.default) : input),
    ) as Created<F>,
    /** The fields of the input that changes one. */
    changed: each(({ input }) => input && z.optional(input)) as Changed<F>,
    /** The values that were sent, for the database. */
    toValues<B extends object>(body: B) {
      const values = Object.keys(inputs).map((name) => [
        toCamel(name),
        (body as Record<string, unknown>)[name],
      ]);
      return Object.fromEntries(values) as {
        [K in keyof Inputs<F> as Camel<K>]: K extends keyof B ? B[K] : undefined;
      };
    },
    form: each(({ form }) => form) as Part<F, "form", FieldSpec>,
  };
}

/** Fields of an item whose columns are instants. */
export const INSTANT = { item: timestamp, from: (at: number) => toIso(at) };
/** Null for what has not happened. */
export const instantOrNull = (description?: string) => ({
  item: z.nullable(timestamp).with(...(description === undefined ? [] : [z.describe(description)])),
  from: (at: number | null) => (at === null ? null : toIso(at)),
});

/** A column that is 0 or 1. */
export const isSet = (flag: number) => flag === 1;
