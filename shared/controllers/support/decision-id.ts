import { fnv1a32, toNameSuffix } from '../../model/hash.ts';
import { type EpochMs, formatInstant } from '../../model/time.ts';

/** Ends each part, so that the hashes of ['ab', 'c'] and ['a', 'bc'] differ. */
const END_OF_PART = '\u{ff}';

/**
 * Creates an id such as `p-20261121T143209Z-4k7q`. Ids sort by time, and equal decisions get equal
 * ids: an invocation that is repeated stores what it stored before.
 *
 * @param content - what the decision depends on besides the time
 */
export function createDecisionId(kind: 'p' | 'd' | 'c', at: EpochMs, content: readonly string[]): string {
  const stamp = formatInstant(at).replaceAll(/[-:]/g, '');
  const parts = [`${at}`, ...content];
  const hash = fnv1a32(parts.map((part) => `${part}${END_OF_PART}`).join(''));
  return `${kind}-${stamp}-${toNameSuffix(hash, 4)}`;
}
