import { INITIALIZED_LABEL, REQUESTED_DRIVERS_ANNOTATION } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { ClaimWait, NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import { type DeviceSlice, selectNewestSlices } from '../../model/pods/devices.ts';
import { formatTaint, isEphemeralTaint, isSameTaint, type Taint } from '../../model/requirements/taints.ts';
import { withoutWait, withWait } from '../claim-wait.ts';
import type { Observed } from '../observed.ts';
import { type Step, waitStep } from '../step.ts';
import { isUnregistered, registerAgain } from './registration.ts';

/** Marks the Node as usable. Only a reboot takes the mark away, whatever happens to the node later. */
export function initialize(claim: NodeClaim, observed: Observed): Step {
  const { now } = observed;
  const node = findOwnNode(claim, observed);
  // The kubelet has registered under another name, and the Node of before is gone.
  if (node && isUnregistered(node)) return registerAgain(claim, node, observed);
  const blocker = findBlocker(claim, observed);
  if (!node || blocker) {
    const wait = { condition: 'Initialized', status: 'Unknown', ...(blocker ?? NO_NODE) } as const;
    return waitStep(withWait(claim, wait, now));
  }

  const isFirstBoot = claim.reboots === undefined;
  const waitedMs = now - (claim.podsWaitedSince ?? now);
  return {
    claim: { ...withoutWait(claim), initializedAt: now },
    effects: [{ kind: 'change-node', node, change: { labels: { [INITIALIZED_LABEL]: 'true' } } }],
    events: isFirstBoot ? [{ kind: 'ready', at: now, claim: claim.name, waitedMs }] : [],
  };
}

/** The Node that registered, whichever others claim its instance; else the only one. */
function findOwnNode({ nodeName }: NodeClaim, { nodes }: Observed): Node | undefined {
  const [first, another] = nodes;
  return nodes.find(({ name }) => name === nodeName) ?? (another ? undefined : first);
}

type Blocker = Pick<ClaimWait, 'reason' | 'message'>;

const NO_NODE: Blocker = { reason: 'NodeNotFound', message: 'waits for exactly one Node' };

/** Returns what a registered node still waits for; `undefined` if nothing. */
function findBlocker(claim: NodeClaim, observed: Observed): Blocker | undefined {
  const { devices } = observed;
  const node = findOwnNode(claim, observed);
  if (!node) return NO_NODE;
  if (!node.ready) {
    return { reason: 'NodeNotReady', message: 'waits for the kubelet to be Ready' };
  }

  const startup = findStartupTaint(claim, node);
  if (startup) return { reason: 'StartupTaintsExist', message: formatTaintWait(startup) };
  const ephemeral = node.taints.find(isEphemeralTaint);
  if (ephemeral) return { reason: 'KnownEphemeralTaintsExist', message: formatTaintWait(ephemeral) };

  const missing = findUnregisteredResource(claim, node);
  if (missing !== undefined) {
    return { reason: 'ResourceNotRegistered', message: `waits for resource ${missing}` };
  }
  const missingDriver =
    devices && listRequestedDrivers(claim).find((driver) => !hasPublishedDevices(driver, node, devices.slices));
  if (missingDriver === undefined) return undefined;
  const message = `waits for driver ${missingDriver} to show its devices`;
  return { reason: 'DRADriverPoolsNotPublished', message };
}

/** Device drivers whose devices the node was launched for. */
export const listRequestedDrivers = ({ annotations }: Pick<NodeClaim, 'annotations'>): string[] =>
  (annotations[REQUESTED_DRIVERS_ANNOTATION] ?? '').split(',').filter((driver) => driver !== '');

/** The driver has published a complete pool of devices on the node. */
function hasPublishedDevices(driver: string, { name }: Node, slices: readonly DeviceSlice[]): boolean {
  const own = slices.filter(({ reach }) => typeof reach === 'object' && 'node' in reach && reach.node === name);
  const pools = Map.groupBy(
    own.filter((slice) => slice.driver === driver),
    ({ pool }) => pool,
  );
  return [...pools.values()].some((pool) => selectNewestSlices(pool).isComplete);
}

const formatTaintWait = (taint: Taint): string => `waits for taint ${formatTaint(taint)} to go`;

const findStartupTaint = ({ startupTaints }: NodeClaim, { taints }: Node) =>
  taints.find((taint) =>
    startupTaints.some((startup) => isSameTaint(startup, taint) && (startup.value ?? '') === (taint.value ?? '')),
  );

/** Extended resources appear in allocatable only when their device plugin runs. */
const findUnregisteredResource = ({ requests }: NodeClaim, { allocatable }: Node): string | undefined =>
  Object.keys(requests).find((name) => (ownValue(requests, name) ?? 0) > 0 && !ownValue(allocatable, name));
