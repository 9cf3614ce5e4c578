/** Returns the value. Throws if it is undefined, which is always a bug in linkledger and never an invalid request. */
export function expectDefined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a value that must exist is missing");
  return value;
}
