/**
 * Finds the word that `word` is probably a misspelling of, or `undefined` if all differ too much.
 * Of equally near words the one with the longest common prefix counts, because first letters are
 * seldom wrong.
 */
export function findNearestWord(word: string, words: Iterable<string>): string | undefined {
  const tolerated = Math.max(1, Math.floor(word.length / 3));
  let nearest: string | undefined;
  let min = tolerated + 1;
  for (const candidate of words) {
    // If the lengths differ by more than a third, the distance is too large anyway.
    if (Math.abs(candidate.length - word.length) > tolerated) continue;
    const distance = computeEditDistance(word.toLowerCase(), candidate.toLowerCase());
    const isNearer =
      distance < min ||
      (distance === min &&
        nearest !== undefined &&
        countSharedStart(word, candidate) > countSharedStart(word, nearest));
    if (isNearer) [nearest, min] = [candidate, distance];
  }
  return nearest;
}

/** Replaces each word that does not exist by the nearest one that does, if there is one. */
export const correctWords = (words: readonly string[], existing: ReadonlySet<string>): readonly string[] =>
  words.map((word) => (existing.has(word) ? word : (findNearestWord(word, existing) ?? word)));

/** Counts the letters that both words begin with. */
function countSharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length]?.toLowerCase() === b[length]?.toLowerCase()) length += 1;
  return length;
}

/**
 * Computes the number of letters to add, drop, change or swap with a neighbour to turn `a` into
 * `b`.
 */
export function computeEditDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const dropped = (last[column] ?? 0) + 1;
      const added = (current[column - 1] ?? 0) + 1;
      const swapped =
        a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? (beforeLast[column - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min(changed, dropped, added, swapped));
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? 0;
}
