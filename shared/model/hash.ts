/**
 * Hashes that names, seeds and stored plans depend on: equal texts give equal results on every
 * machine and in every release, so none of these functions may change. None of them withstands an
 * attacker.
 *
 * @see https://datatracker.ietf.org/doc/draft-eastlake-fnv/ (FNV-1a)
 */

const OFFSET_BASIS_32 = 0x811c_9dc5;
const PRIME_32 = 0x0100_0193;

/**
 * Computes the 32-bit FNV-1a hash over the UTF-16 code units of `text`.
 *
 * @param basis - the hash of what precedes `text`, or a seed
 * @returns an unsigned integer
 */
export function fnv1a32(text: string, basis: number = OFFSET_BASIS_32): number {
  let hash = basis;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), PRIME_32);
  }
  return hash >>> 0;
}

/**
 * Computes a 32-bit hash of `text` and `seed` whose bits all change with each letter. Plain FNV-1a
 * gives texts that differ in their last letter only nearly equal upper bits.
 */
export const hashWithSeed = (text: string, seed: number): number => mixBits(fnv1a32(text, OFFSET_BASIS_32 ^ seed));

const OFFSET_BASIS_64 = 0xcbf2_9ce4_8422_2325n;
const PRIME_64 = 0x0000_0100_0000_01b3n;

/**
 * Computes the 64-bit FNV-1a hash over the UTF-8 bytes of `text`, as 16 hexadecimal digits. Two
 * texts collide with a chance of 1 in 2^64.
 */
export function fnv1a64(text: string): string {
  let hash = OFFSET_BASIS_64;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME_64);
  }
  return hash.toString(16).padStart(16, '0');
}

/**
 * Spreads an integer over all 32 bits, so that neighbouring integers give unrelated results.
 *
 * @see MurmurHash3, finaliser, by Austin Appleby (public domain)
 */
export function mixBits(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/**
 * Letters and digits that are hard to mistake for each other, without vowels, so that no words
 * appear: the alphabet of the suffixes that Kubernetes generates.
 */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Writes the low digits of an unsigned integer as a name suffix of `length` characters. */
export function toNameSuffix(value: number, length: number): string {
  let remaining = value;
  let suffix = '';
  while (suffix.length < length) {
    suffix += SUFFIX_ALPHABET[remaining % SUFFIX_ALPHABET.length] ?? '';
    remaining = Math.floor(remaining / SUFFIX_ALPHABET.length);
  }
  return suffix;
}

/** Computes five characters for the end of a generated name; they depend on all of `text`. */
export const shortHash = (text: string): string => toNameSuffix(fnv1a32(text), 5);

/** True for a name that `shortHash`, or the API server's `generateName`, completed for this pool. */
export const isClaimName = (name: string, pool: string): boolean =>
  name.startsWith(`${pool}-`) && GENERATED_SUFFIX.test(name.slice(pool.length + 1));

const GENERATED_SUFFIX = new RegExp(`^[${SUFFIX_ALPHABET}]{5}$`);
