import type { EpochMs } from '../../model/time.ts';

// Letters and digits that are hard to mistake for each other, as Kubernetes' own name suffixes.
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 4;

const UTC = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'UTC',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/**
 * `p-20261121T143209Z-4k7q`: readable, in order of time, and the same for the same decision, so
 * that an invocation that is run again stores what it stored before.
 *
 * @param content - what the decision depends on and the time does not tell
 */
export function createDecisionId(kind: 'p' | 'd', at: EpochMs, content: readonly string[]): string {
  const stamp = UTC.format(at).replaceAll('-', '').replaceAll(':', '').replace(' ', 'T');
  return `${kind}-${stamp}Z-${toSuffix(hash([`${at}`, ...content]))}`;
}

/** FNV-1a, 32 bits. */
function hash(parts: readonly string[]): number {
  let value = 0x811c9dc5;
  for (const part of parts) {
    for (let index = 0; index < part.length; index += 1) {
      value = Math.imul(value ^ part.charCodeAt(index), 0x01000193);
    }
    // So that ['ab', 'c'] and ['a', 'bc'] differ.
    value = Math.imul(value ^ 0xff, 0x01000193);
  }
  return value >>> 0;
}

function toSuffix(value: number): string {
  let remainder = value;
  let suffix = '';
  while (suffix.length < SUFFIX_LENGTH) {
    suffix += ALPHABET[remainder % ALPHABET.length] ?? '';
    remainder = Math.floor(remainder / ALPHABET.length);
  }
  return suffix;
}
