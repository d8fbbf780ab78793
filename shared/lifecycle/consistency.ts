import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { formatAmount } from '../model/quantity.ts';

/** Minimum share of the instance's expected capacity that a node must report. */
const MIN_SHARE = 0.9;

/**
 * Describes the first requested resource of which the node reports too little.
 *
 * @returns `undefined` if the node has the expected capacity
 */
export function findShortfall({ launch, requests }: NodeClaim, node: Node): string | undefined {
  for (const [name, requested] of Object.entries(requests)) {
    const expected = launch?.capacity[name] ?? 0;
    const actual = node.capacity[name] ?? 0;
    if (requested <= 0 || expected <= 0 || actual >= MIN_SHARE * expected) continue;

    const share = ((actual / expected) * 100).toFixed(1);
    const [expectedText, actualText] = [expected, actual].map((amount) =>
      formatAmount(name, amount),
    );
    return `expected ${expectedText} of ${name}, found ${actualText} (${share} %)`;
  }
  return undefined;
}
