import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { formatAmount } from '../model/quantity.ts';

/** A node that has less than this of what its instance was to have is not what was meant. */
const MIN_SHARE = 0.9;

/**
 * What a node lacks of what EC2 promised, among the resources that its pods were promised.
 *
 * @returns absent, if it has what was promised
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
