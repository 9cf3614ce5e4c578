/** What a process of the tests makes once, whichever files it runs. */
export function once<T>(name: string, make: () => T): T {
  const key = Symbol.for(`linkledger ${name}`);
  const made = Reflect.get(globalThis, key) as { value: T } | undefined;
  if (made) return made.value;
  const value = make();
  Reflect.set(globalThis, key, { value });
  return value;
}
