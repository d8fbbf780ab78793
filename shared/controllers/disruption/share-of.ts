import { staticHash } from '../../api/static-hash.ts';

/** A number from 0 to 1 that looks drawn, and is the same for the same text. */
export const shareOf = (text: string): number =>
  Number.parseInt(staticHash(text).slice(0, 8), 16) / 2 ** 32;
