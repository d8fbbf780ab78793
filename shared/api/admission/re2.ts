import { RE2JS } from 're2js';
import type { Matches } from './structure.ts';

const compiled = new Map<string, RE2JS>();

/** As the API server reads patterns: RE2, whose blanks and ends differ from JavaScript's. */
export const matchesRe2: Matches = (pattern, text) => {
  const known = compiled.get(pattern) ?? RE2JS.compile(pattern);
  compiled.set(pattern, known);
  return known.matcher(text).find();
};
