import { findNearestWord } from '../../shared/api/nearest-word.ts';

/** Finds the known word that is closest to `word`; undefined if none is close. */
export const didYouMean = (word: string, candidates: readonly string[]): string | undefined =>
  findNearestWord(word, candidates) ??
  candidates.find((candidate) => isWholeWordOf(candidate, word));

/** True for `--context` and `--kube-context`. */
const isWholeWordOf = (candidate: string, word: string): boolean =>
  dashless(candidate).length > 2 && dashless(word).split('-').includes(dashless(candidate));

const dashless = (flag: string): string => flag.replace(/^-+/, '');
