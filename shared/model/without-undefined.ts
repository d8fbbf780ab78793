type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out fields without a value. */
export function withoutUndefined<T extends object>(fields: T): Defined<T>;
export function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
