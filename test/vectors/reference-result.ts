import { parseQuantity } from '../../shared/model/quantity.ts';
import type { VectorCase } from './case-schema.ts';

/** The result that a plan has to reach. */
interface ReferenceResult {
  /** Number of pods that the reference places in its best run. */
  readonly pods: number;
  /** The lowest price of those pods in USD per hour; undefined if no run recorded it. */
  readonly hourlyUsd?: number;
}

/**
 * Computes the reference's best result, without the pods that it places beyond a limit of its
 * NodePools: it counts existing nodes but not the nodes that it is about to create.
 */
export function computeReferenceResult(vector: VectorCase): ReferenceResult {
  const { stability, totalPrice, newNodeClaims, existingNodes } = vector.expected;
  const { min, max } = stability.scheduledPods;
  const beyond = countPodsBeyondLimits(vector);
  if (beyond > 0) return { pods: max - beyond };
  if (min === max) return { pods: max, hourlyUsd: stability.totalPrice.min };

  // The cheapest run may be the run that placed the fewest pods.
  const recorded = [...newNodeClaims, ...existingNodes].reduce((sum, one) => sum + one.pods.length, 0);
  return { pods: max, hourlyUsd: recorded === max ? totalPrice : stability.totalPrice.max };
}

/**
 * Counts the pods of the claims beyond each NodePool's limit, assuming the claims with the fewest
 * pods.
 */
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
