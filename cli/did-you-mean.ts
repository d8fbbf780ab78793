import { findNearestWord } from '../shared/api/nearest-word.ts';

/** The known word that somebody who wrote `word` most likely meant; absent if none is near. */
export const didYouMean = (word: string, known: readonly string[]): string | undefined =>
  findNearestWord(word, known) ?? known.find((candidate) => isWholeWordOf(candidate, word));

/** `--context` for `--kube-context`. */
const isWholeWordOf = (candidate: string, word: string): boolean =>
  dashless(candidate).length > 2 && dashless(word).split('-').includes(dashless(candidate));

const dashless = (flag: string): string => flag.replace(/^-+/, '');
