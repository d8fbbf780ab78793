import { RE2JS } from 're2js';
import { getOrCreate } from '../../model/memo.ts';
import type { Matches } from './structure.ts';

const compiled = new Map<string, RE2JS>();

/** As the API server reads patterns: RE2, whose blanks and ends differ from JavaScript's. */
export const matchesRe2: Matches = (pattern, text) => {
  const known = getOrCreate(compiled, pattern, () => RE2JS.compile(pattern));
  return known.matcher(text).find();
};
