const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters that depend on all of `text`; no vowels, so that no words appear. FNV-1a. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  let name = '';
  for (let position = 0; position < 5; position++) {
    name += ALPHABET[hash % ALPHABET.length] ?? '';
    hash = Math.floor(hash / ALPHABET.length);
  }
  return name;
}
