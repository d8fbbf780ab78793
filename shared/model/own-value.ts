/**
 * Returns the value that a record has for a key of its own; `undefined` if it has none. Keys of
 * labels, annotations, resources and objects come from users, and reading `record[key]` would find
 * a function of the prototype for keys such as `constructor`.
 */
export const ownValue = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
