import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { ownValue } from '../model/own-value.ts';
import { formatAmount } from '../model/quantity.ts';
import type { Observed } from './observed.ts';
import { type Step, waitStep } from './step.ts';

/** Minimum share of the instance's expected capacity that a node must report. */
const MIN_SHARE = 0.9;

/** Reports what a node lacks, without consequences: its pods may run nevertheless. */
export function checkConsistency(claim: NodeClaim, { nodes: [node], now }: Observed): Step {
  const text = node && findShortfall(claim, node);
  if (!node || text === claim.shortfall?.text) return waitStep(claim);

  const { shortfall: _, ...claimWithoutShortfall } = claim;
  if (text === undefined) return waitStep(claimWithoutShortfall);
  return {
    claim: { ...claimWithoutShortfall, shortfall: { text, since: claim.shortfall?.since ?? now } },
    effects: [],
    events: [{ kind: 'inconsistent', at: now, claim: claim.name, text }],
  };
}

/**
 * Describes the first requested resource of which the node reports too little.
 *
 * @returns `undefined` if the node has the expected capacity
 */
function findShortfall({ launch, requests }: NodeClaim, node: Node): string | undefined {
  for (const [name, requested] of Object.entries(requests)) {
    const expected = ownValue(launch?.capacity, name) ?? 0;
    const actual = ownValue(node.capacity, name) ?? 0;
    if (requested <= 0 || expected <= 0 || actual >= MIN_SHARE * expected) continue;

    const share = ((actual / expected) * 100).toFixed(1);
    const [expectedText, actualText] = [expected, actual].map((amount) => formatAmount(name, amount));
    return `expected ${expectedText} of ${name}, found ${actualText} (${share} %)`;
  }
  return undefined;
}
