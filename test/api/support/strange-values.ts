import fc from 'fast-check';

const STRANGE_WORDS = ['constructor', '__proto__', 'toString', '', 'hasOwnProperty', '\u001b[2J'];
/** Generates values of any type that manifests do not usually contain. */
export const anyStrangeValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(...STRANGE_WORDS),
  fc.dictionary(fc.constantFrom(...STRANGE_WORDS), fc.constantFrom('1', 1, {}, [])),
);

/** Replaces the value at one place, counted from the root in depth-first order. */
export function replaced(value: unknown, location: { left: number }, by: unknown): unknown {
  if (location.left === 0) {
    location.left = -1;
    return by;
  }
  location.left -= 1;
  if (Array.isArray(value)) return value.map((item) => replaced(item, location, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, location, by)]));
}
