/** The texts that a contract reads. */
import type * as z from "zod/mini";
import { isLong } from "./attack.ts";

/** A text of a contract by its path, for example `links.*.name`, and a value of the contract that has only this text. */
export type Field = [path: string, toValue: (text: string) => unknown];

type Definition = {
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  element?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
  options?: z.core.$ZodType[];
  shape?: Record<string, z.core.$ZodType>;
};

/** Every place that can get a text, also where the contract expects something else, and the names of unknown fields. */
export function fieldsOf(schema: z.core.$ZodType): Field[] {
  const { innerType, in: input, element, valueType, options, shape } = schema._zod.def as Definition;
  const inner = innerType ?? input;
  if (inner) return fieldsOf(inner);
  if (element)
    return fieldsOf(element).map(([path, toValue]) => [join("*", path), (text) => [toValue(text)]]);
  if (options) return options.flatMap(fieldsOf);
  const named: Field = ["unknown", (text) => ({ [text]: text })];
  if (valueType)
    return [
      named,
      ...fieldsOf(valueType).map(
        ([path, toValue]): Field => [join("*", path), (text) => ({ [text]: toValue(text) })],
      ),
    ];
  if (!shape) return [["", (text) => text]];
  const own = Object.entries(shape).flatMap(([name, field]) =>
    fieldsOf(field).map(
      ([path, toValue]): Field => [join(name, path), (text) => ({ [name]: toValue(text) })],
    ),
  );
  return [...own, named];
}

const attacked = new Map<z.core.$ZodType, Set<string>>();

/**
 * The fields of a contract. In `npm test` without those whose own contract, the same object, was in another contract before: one
 * that is read in the same way, which `where` names.
 */
export function newFieldsOf(schema: z.core.$ZodType, where: string): Field[] {
  if (isLong) return fieldsOf(schema);
  const { shape = {} } = schema._zod.def as Definition;
  return fieldsOf(schema).filter(([path]) => {
    const field = shape[path.split(".", 1)[0] ?? ""];
    const own = field ? withoutDefault(field) : schema;
    const known = attacked.get(own) ?? new Set();
    attacked.set(own, known);
    const isNew = !known.has(`${where} ${path}`);
    known.add(`${where} ${path}`);
    return isNew;
  });
}

/** A contract that can be absent is an object of its own each time. */
function withoutDefault(schema: z.core.$ZodType): z.core.$ZodType {
  const { type, innerType } = schema._zod.def as Definition & { type: string };
  return innerType && ["optional", "nullable", "default"].includes(type) ? withoutDefault(innerType) : schema;
}

const join = (name: string, path: string) => (path === "" ? name : `${name}.${path}`);

/** A contract and everything in it. */
export function partsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { innerType, in: input, element, valueType, options, shape } = schema._zod.def as Definition;
  const parts = [innerType, input, element, valueType, ...(options ?? []), ...Object.values(shape ?? {})];
  return [schema, ...parts.flatMap((part) => (part ? partsOf(part) : []))];
}
