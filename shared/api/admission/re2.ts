import { RE2JS } from 're2js';
import { getOrCreate } from '../../model/memo.ts';
import { matchesSafely } from './patterns.ts';
import type { Matches } from './structure.ts';

const compiled = new Map<string, RE2JS>();

/**
 * Matches patterns like the API server, with RE2. RE2 differs from JavaScript in what it takes for
 * white space and line ends.
 */
export const matchesRe2: Matches = (pattern, text) =>
  getOrCreate(compiled, pattern, () => RE2JS.compile(pattern))
    .matcher(text)
    .find();

/** In such texts, both engines take the same characters for letters, white space and line ends. */
const PLAIN_TEXT = /^[\x20-\x7E]{0,256}$/;
/** Flags and classes that only RE2 has, and repetitions that JavaScript could take hours for. */
const RE2_ONLY = /\(\?[^:]|\[\[:|\\[ACQEpPz]|[+*}]\)?[+*{]|\(\.[+*]\)/;

/**
 * Matches patterns of our own schemas like the API server. Compiling a pattern for RE2 takes as
 * long as all other checks of an object, so plain texts are matched with JavaScript's engine.
 */
export const matchesLikeRe2: Matches = (pattern, text) =>
  PLAIN_TEXT.test(text) && !RE2_ONLY.test(pattern) ? matchesSafely(pattern, text) : matchesRe2(pattern, text);
