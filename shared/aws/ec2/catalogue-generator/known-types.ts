import * as z from 'zod';

/** Sizes by family, for every type that was ever bundled. The list only grows. */
const knownSchema = z.object({ families: z.record(z.string(), z.string()) });

/**
 * Returns the names of the types, sorted.
 *
 * @throws z.ZodError
 */
export const parseKnownTypes = (json: unknown): readonly string[] =>
  Object.entries(knownSchema.parse(json).families)
    .flatMap(([family, sizes]) => sizes.split(' ').map((size) => `${family}.${size}`))
    .toSorted();

/** Formats the file as JSON with one line per family. */
export function formatKnownTypes(names: readonly string[]): string {
  const families = Map.groupBy([...new Set(names)].toSorted(), (name) => name.split('.')[0] ?? '');
  const lines = [...families].map(([family, types]) => {
    const sizes = types.map((name) => name.slice(family.length + 1)).join(' ');
    return `"${family}": "${sizes}"`;
  });
  return `{\n"about": ${JSON.stringify(ABOUT)},\n"families": {\n${lines.join(',\n')}\n}\n}\n`;
}

const ABOUT =
  'Every type that was ever in the catalogue, by family. Written by npm run catalog, which takes none away.';
