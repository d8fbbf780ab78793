/** Colours of tiles in tokens.css. */
const COLORS = 6;

/**
 * Gives the largest namespaces a colour. It depends on their names alone, so that all tabs show the
 * same one, also after a reset: the hash of the name, or the next free colour in the order of names.
 *
 * @param namespaces - largest first; those after the sixth have no colour
 * @returns from 0 to 5 for each name
 */
export function colorNamespaces(namespaces: readonly string[]): ReadonlyMap<string, number> {
  const colors = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of namespaces.slice(0, COLORS).toSorted()) {
    let color = hash(name) % COLORS;
    while (taken.has(color)) color = (color + 1) % COLORS;
    taken.add(color);
    colors.set(name, color);
  }
  return colors;
}

/** FNV-1a with 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  }
  return value;
}
