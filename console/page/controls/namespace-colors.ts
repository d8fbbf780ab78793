/** tokens.css has so many colours for tiles. */
const COLOR_COUNT = 6;

/**
 * Gives each of the six largest namespaces a colour of its own: the hash of its name, or the next free colour. Only
 * the names decide, so that all tabs show the same colours, also after a reset.
 *
 * @param namespaces - largest first
 * @returns the number of the colour, 0 to 5, by name; the other namespaces have none
 */
export function colorNamespaces(namespaces: readonly string[]): ReadonlyMap<string, number> {
  const colors = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of namespaces.slice(0, COLOR_COUNT).toSorted()) {
    let color = hash(name) % COLOR_COUNT;
    while (taken.has(color)) color = (color + 1) % COLOR_COUNT;
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
