import { parseQuantity } from '../../shared/model/quantity.ts';
import type { VectorCase } from './case-schema.ts';

/** What a plan is measured by. */
interface ReferenceResult {
  /** How many pods the reference places in its best run. */
  readonly pods: number;
  /** The lowest price of those pods, in USD per hour; absent where no run says what they cost. */
  readonly hourlyUsd?: number;
}

/**
 * What the reference reaches at best, less what it places beyond a limit of its own: it counts nodes
 * that exist, not those that it is about to make.
 */
export function computeReferenceResult(vector: VectorCase): ReferenceResult {
  const { stability, totalPrice, newNodeClaims, existingNodes } = vector.expected;
  const { min, max } = stability.scheduledPods;
  const beyond = countPodsBeyondLimits(vector);
  if (beyond > 0) return { pods: max - beyond };
  if (min === max) return { pods: max, hourlyUsd: stability.totalPrice.min };

  // The cheapest run may be the one that placed the fewest pods.
  const recorded = [...newNodeClaims, ...existingNodes].reduce(
    (sum, one) => sum + one.pods.length,
    0,
  );
  return { pods: max, hourlyUsd: recorded === max ? totalPrice : stability.totalPrice.max };
}

/** Of each pool, the claims with the fewest pods are those too many. */
function countPodsBeyondLimits({ nodePools, nodeClaims, expected }: VectorCase): number {
  return nodePools.reduce((total, { metadata, spec }) => {
    const limit = getNodeLimit(spec);
    if (limit === undefined) return total;
    const running = nodeClaims.filter((one) => one.metadata.labels[POOL] === metadata.name).length;
    const counts = expected.newNodeClaims
      .filter(({ nodePool }) => nodePool === metadata.name)
      .map(({ pods }) => pods.length)
      .toSorted((a, b) => b - a);
    const beyond = counts.slice(Math.max(0, limit - running));
    return total + beyond.reduce((sum, count) => sum + count, 0);
  }, 0);
}

const POOL = 'karpenter.sh/nodepool';

function getNodeLimit(spec: VectorCase['nodePools'][number]['spec']): number | undefined {
  const quantity = parseQuantity(spec?.limits?.nodes ?? '');
  return quantity && Number(quantity.nanos) / 1e9;
}
