import { hashWithSeed } from '../model/hash.ts';
import type { RandomStream } from '../model/random.ts';
import { createNamedStream, GOLDEN_STEP } from '../model/random.ts';

/** Kubernetes' alphabet for generated names: no vowels and no look-alike digits. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A name suffix such as `x2kqp` in `shop-web-7d9c5-x2kqp`. */
export const nameSuffix = (random: RandomStream, length = 5): string =>
  Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');

/** A UUID that depends on name and seed only. */
export function uidOf(seed: number, name: string): string {
  const words = [0, 1, 2, 3].map((part) =>
    hashWithSeed(name, seed + part * GOLDEN_STEP)
      .toString(16)
      .padStart(8, '0'),
  );
  return words.join('').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** The hash in a ReplicaSet's name. */
export const templateHash = (seed: number, name: string): string =>
  nameSuffix(createNamedStream(seed, `template ${name}`), 9);
