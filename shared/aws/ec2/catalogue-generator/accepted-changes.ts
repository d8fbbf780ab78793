/**
 * Types that were bundled once and are not any more, with the reason. A type that is in neither place
 * has vanished by accident: the generator refuses to write such a catalogue, and a test finds it.
 */
export const VANISHED_TYPES: Readonly<Record<string, string>> = {};

/** Those of `names` that nobody has given a reason for. */
export const vanishedSilently = (
  names: readonly string[],
  reasons: Readonly<Record<string, string>> = VANISHED_TYPES,
): readonly string[] => names.filter((name) => !Object.hasOwn(reasons, name));
