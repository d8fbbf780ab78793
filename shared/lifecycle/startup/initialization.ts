import { type DeviceSlice, newestSlices } from '../../model/pods/devices.ts';
import { INITIALIZED_LABEL, REQUESTED_DRIVERS_ANNOTATION } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { ClaimWait, NodeClaim } from '../../model/nodes/node-claim.ts';
import { formatTaint, isEphemeralTaint, isSameTaint, type Taint } from '../../model/requirements/taints.ts';
import type { Observed } from '../observed.ts';
import { type Step, waiting } from '../step.ts';
import { waitFor, waitNoMore } from '../claim-wait.ts';

/** Declares the Node usable, for good: what happens to it later does not take that back. */
export function initialize(claim: NodeClaim, observed: Observed): Step {
  const { nodes, now } = observed;
  const [node] = nodes;
  const blocker = initializationBlocker(claim, observed);
  if (!node || blocker) {
    const wait = { condition: 'Initialized', status: 'Unknown', ...(blocker ?? NO_NODE) } as const;
    return waiting(waitFor(claim, wait, now));
  }

  const waitedMs = now - (claim.podsWaitedSince ?? now);
  return {
    claim: { ...waitNoMore(claim), initializedAt: now },
    effects: [{ kind: 'change-node', node, change: { labels: { [INITIALIZED_LABEL]: 'true' } } }],
    events: [{ kind: 'ready', at: now, claim: claim.name, waitedMs }],
  };
}

type Blocker = Pick<ClaimWait, 'reason' | 'message'>;

const NO_NODE: Blocker = { reason: 'NodeNotFound', message: 'waits for exactly one Node' };

/** What a registered node waits for; absent: nothing. */
function initializationBlocker(
  claim: NodeClaim,
  { nodes, devices }: Observed,
): Blocker | undefined {
  const [node, another] = nodes;
  if (!node || another) return NO_NODE;
  if (!node.ready) {
    return { reason: 'NodeNotReady', message: 'waits for the kubelet to be Ready' };
  }

  const startup = startupTaintOn(claim, node);
  if (startup) return { reason: 'StartupTaintsExist', message: waitsToGo(startup) };
  const ephemeral = node.taints.find(isEphemeralTaint);
  if (ephemeral) return { reason: 'KnownEphemeralTaintsExist', message: waitsToGo(ephemeral) };

  const missing = unregisteredResource(claim, node);
  if (missing !== undefined) {
    return { reason: 'ResourceNotRegistered', message: `waits for resource ${missing}` };
  }
  const silent =
    devices && requestedDrivers(claim).find((one) => !hasShown(one, node, devices.slices));
  if (silent === undefined) return undefined;
  const message = `waits for driver ${silent} to show its devices`;
  return { reason: 'DRADriverPoolsNotPublished', message };
}

/** Drivers whose devices the node was launched for. */
export const requestedDrivers = ({ annotations }: Pick<NodeClaim, 'annotations'>): string[] =>
  (annotations[REQUESTED_DRIVERS_ANNOTATION] ?? '').split(',').filter((driver) => driver !== '');

/** Whether some pool of the driver's is complete, and all on the node. */
function hasShown(driver: string, { name }: Node, slices: readonly DeviceSlice[]): boolean {
  const own = slices.filter(
    ({ reach }) => typeof reach === 'object' && 'node' in reach && reach.node === name,
  );
  const pools = Map.groupBy(
    own.filter((slice) => slice.driver === driver),
    ({ pool }) => pool,
  );
  return [...pools.values()].some((pool) => newestSlices(pool).complete);
}

const waitsToGo = (taint: Taint): string => `waits for taint ${formatTaint(taint)} to go`;

const startupTaintOn = ({ startupTaints }: NodeClaim, { taints }: Node) =>
  taints.find((taint) =>
    startupTaints.some(
      (startup) => isSameTaint(startup, taint) && (startup.value ?? '') === (taint.value ?? ''),
    ),
  );

/** Devices show up in allocatable only when their plugin runs. */
const unregisteredResource = ({ requests }: NodeClaim, { allocatable }: Node): string | undefined =>
  Object.keys(requests).find((name) => (requests[name] ?? 0) > 0 && !allocatable[name]);
