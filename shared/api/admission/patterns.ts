import { getOrCreate } from '../../model/memo.ts';
import type { Matches } from './structure.ts';

const MAX_MATCHED_LENGTH = 1_000;
const compiled = new Map<string, RegExp>();

/**
 * Patterns in JavaScript's reading, for texts that an API server has judged already. JavaScript could
 * take hours over five times `.+`, so that one is believed, and so are texts of unlikely length.
 */
export const matchesSafely: Matches = (pattern, text) => {
  if (pattern.includes('(.+)') || text.length > MAX_MATCHED_LENGTH) return true;
  const known = getOrCreate(compiled, pattern, () => new RegExp(pattern));
  return known.test(text);
};
