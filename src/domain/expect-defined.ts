/** The value. Throws where there is none: that is a mistake in our own code, never in what a caller sent. */
export function expectDefined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a value that must exist is missing");
  return value;
}
