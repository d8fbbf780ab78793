import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Offering } from '../../model/instance-type.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import type { NodeOverlay } from '../../model/node-overlay.ts';
import { USUAL_SETTINGS } from '../../model/settings.ts';
import { evaluateOverlays, type OverlayEvaluation } from '../instance-types/evaluate-overlays.ts';

/** The same snapshot as its overlays have it; the same object if there are none. */
export function withOverlays(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { overlays = [], settings = USUAL_SETTINGS } = snapshot;
  if (overlays.length === 0 || !settings.gates.NodeOverlay) return snapshot;
  const { evaluation, offerings } = evaluated(overlays, snapshot);
  const instanceTypes = { ...snapshot.instanceTypes, ...evaluation.instanceTypes };
  const claims = snapshot.claims.map((claim) => withCapacity(claim, evaluation));
  return { ...snapshot, instanceTypes, offerings, claims };
}

interface Evaluated {
  readonly from: readonly unknown[];
  readonly evaluation: OverlayEvaluation;
  /** The published ones and those that overlays add. */
  readonly offerings: readonly Offering[];
}

// Prices move every few minutes at most, decisions are made far more often.
const last = new WeakMap<readonly NodeOverlay[], Evaluated>();

function evaluated(overlays: readonly NodeOverlay[], snapshot: ClusterSnapshot): Evaluated {
  const { pools, instanceTypes, offerings } = snapshot;
  const ofPools = pools.flatMap(({ name, labels }) => [name, labels, instanceTypes[name]]);
  const from = [offerings, ...ofPools];
  const known = last.get(overlays);
  if (known?.from.length === from.length && known.from.every((one, at) => one === from[at])) {
    return known;
  }
  const evaluation = evaluateOverlays(overlays, snapshot);
  const made = { from, evaluation, offerings: [...offerings, ...evaluation.offerings] };
  last.set(overlays, made);
  return made;
}

/** Until its node says what it has, a claim has what overlays say: its pods wait for that. */
function withCapacity(claim: NodeClaim, { instanceTypes }: OverlayEvaluation): NodeClaim {
  const { launch, initializedAt, pool } = claim;
  if (!launch || initializedAt !== undefined) return claim;
  const type = instanceTypes[pool]?.find(({ name }) => name === launch.instanceType);
  const more = type?.overlay?.capacity;
  if (!more) return claim;
  const { capacity, allocatable } = launch;
  const larger = { capacity: { ...capacity, ...more }, allocatable: { ...allocatable, ...more } };
  return { ...claim, launch: { ...launch, ...larger } };
}
