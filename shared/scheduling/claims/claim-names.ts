import { shortHash } from '../data-structures/short-hash.ts';

/**
 * Names for the claims of one decision, the same each time that it is made. Two claims of a large
 * plan may hash alike: the later one hashes again.
 *
 * @param existing - names that claims have already
 */
export function claimNames(
  decision: string,
  existing: Iterable<string>,
): (pool: string, ordinal: number) => string {
  const taken = new Set(existing);
  return (pool, ordinal) => {
    for (let attempt = 0; ; attempt++) {
      const again = attempt === 0 ? '' : `/${attempt}`;
      const name = `${pool}-${shortHash(`${decision}/${pool}/${ordinal}${again}`)}`;
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  };
}
