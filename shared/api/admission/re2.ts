import { RE2JS } from 're2js';
import { getOrCreate } from '../../model/memo.ts';
import type { Matches } from './structure.ts';

const compiled = new Map<string, RE2JS>();

/**
 * Matches patterns like the API server, with RE2. RE2 differs from JavaScript in what it takes for
 * white space and line ends.
 */
export const matchesRe2: Matches = (pattern, text) => {
  const cached = getOrCreate(compiled, pattern, () => RE2JS.compile(pattern));
  return cached.matcher(text).find();
};
