import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Offering } from '../../model/offerings/instance-type.ts';
import type { NodeOverlay } from '../../model/offerings/node-overlay.ts';
import { ownValue } from '../../model/own-value.ts';
import { evaluateOverlays, type OverlayEvaluation } from '../instance-types/evaluate-overlays.ts';
import type { SnapshotWithDaemonSets, SnapshotWithOverlays } from './snapshot-stages.ts';

/** Applies NodeOverlays to prices, capacities and launched claims. */
export function applyOverlays(
  snapshot: SnapshotWithDaemonSets,
  overlays: readonly NodeOverlay[],
): SnapshotWithOverlays {
  const { evaluation, offerings } = getEvaluation(overlays, snapshot);
  const instanceTypes = { ...snapshot.instanceTypes, ...evaluation.instanceTypes };
  const claims = snapshot.claims.map((claim) => withCapacity(claim, evaluation));
  return { ...snapshot, instanceTypes, offerings, claims, stage: 'overlays' };
}

interface CachedEvaluation {
  readonly inputs: readonly unknown[];
  readonly evaluation: OverlayEvaluation;
  /** The published offerings and those that overlays add. */
  readonly offerings: readonly Offering[];
}

// Prices change every few minutes at most; decisions are made far more often.
const evaluations = new WeakMap<readonly NodeOverlay[], CachedEvaluation>();

function getEvaluation(overlays: readonly NodeOverlay[], snapshot: ClusterSnapshot): CachedEvaluation {
  const { pools, instanceTypes, offerings } = snapshot;
  const ofPools = pools.flatMap(({ name, labels }) => [name, labels, ownValue(instanceTypes, name)]);
  const inputs = [offerings, ...ofPools];
  const cached = evaluations.get(overlays);
  if (cached?.inputs.length === inputs.length && cached.inputs.every((one, at) => one === inputs[at])) {
    return cached;
  }
  const evaluation = evaluateOverlays(overlays, snapshot);
  const newEvaluation = { inputs, evaluation, offerings: [...offerings, ...evaluation.offerings] };
  evaluations.set(overlays, newEvaluation);
  return newEvaluation;
}

/**
 * Gives a launched claim the extra capacity that overlays define until its node is initialized,
 * because pods are already planned onto it.
 */
function withCapacity(claim: NodeClaim, { instanceTypes }: OverlayEvaluation): NodeClaim {
  const { launch, initializedAt, pool } = claim;
  if (!launch || initializedAt !== undefined) return claim;
  const type = ownValue(instanceTypes, pool)?.find(({ name }) => name === launch.instanceType);
  const overriddenCapacity = type?.overlay?.capacity;
  if (!overriddenCapacity) return claim;
  const { capacity, allocatable } = launch;
  const overridden = {
    capacity: { ...capacity, ...overriddenCapacity },
    allocatable: { ...allocatable, ...overriddenCapacity },
  };
  return { ...claim, launch: { ...launch, ...overridden } };
}
