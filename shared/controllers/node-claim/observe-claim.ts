import type { InstanceSeen, Observed } from '../../lifecycle/observed.ts';
import { requestedDrivers } from '../../lifecycle/startup/initialization.ts';
import { waitsForPartition } from '../../lifecycle/startup/partition.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import { launchIdOf } from '../launch/launch-groups.ts';
import { leaveLaunchRecord } from '../launch/launch-record.ts';
import { findShiftAwayFrom } from '../zonal-shift/shifted-zones.ts';

type ObservationPorts = Pick<Ports, 'clock' | 'cluster' | 'cloud' | 'launches' | 'zonalShifts'>;

/** Whether EC2 is asked however well the node looks. */
export interface InstanceDoubt {
  readonly inDoubt?: true;
}

/** Reads what there is of one claim, and of EC2 only what its next step depends on. */
export async function observeClaim(
  ports: ObservationPorts,
  claim: NodeClaim,
  { inDoubt }: InstanceDoubt = {},
): Promise<Observed> {
  const devices = claim.initializedAt === undefined && requestedDrivers(claim).length > 0;
  const objects = await ports.cluster.observe({ devices });
  const providerId = claim.launch?.providerId;
  const nodes =
    providerId === undefined ? [] : objects.nodes.filter((node) => node.providerId === providerId);
  const names = new Set(nodes.map(({ name }) => name));
  const isLeaving = claim.deletingAt !== undefined && names.size > 0;
  const pods = isLeaving
    ? objects.pods.filter(({ nodeName }) => nodeName !== undefined && names.has(nodeName))
    : [];

  const needsEc2 = needsInstance(claim, nodes) || (inDoubt && claim.launch !== undefined);
  const instance = needsEc2 ? await findInstance(ports, claim) : undefined;
  return {
    now: ports.clock.now(),
    nodes,
    pods,
    ...findObject(claim, objects),
    ...(objects.devices && { devices: objects.devices }),
    ...(await readVolumes(ports, claim, nodes)),
    ...(instance && { instance }),
  };
}

/** Read between drain and end alone: it takes requests of its own. */
async function readVolumes(
  { cluster }: ObservationPorts,
  { drainedAt, volumesDetachedAt, terminatingAt }: NodeClaim,
  [node]: readonly Node[],
): Promise<Pick<Observed, 'volumes'>> {
  const isOver = volumesDetachedAt !== undefined || terminatingAt !== undefined;
  if (drainedAt === undefined || isOver || !node) return {};
  return { volumes: await cluster.attachedVolumes(node.name) };
}

/** An object that is there but cannot be read is not missing. */
function findObject(
  { name }: NodeClaim,
  { nodeClaims, unreadable = [] }: ClusterObjects,
): Pick<Observed, 'object'> {
  const object = nodeClaims.find((candidate) => candidate.name === name);
  if (object) return { object };
  const isThere = unreadable.some((one) => one.kind === 'NodeClaim' && one.name === name);
  return isThere ? {} : { object: 'missing' };
}

/** EC2 is asked when an instance should be ending, or when nothing of it shows signs of life. */
function needsInstance(claim: NodeClaim, nodes: readonly Node[]): boolean {
  const isAlive = nodes.some(({ ready }) => ready);
  if (claim.deletingAt === undefined && claim.registeredAt === undefined) {
    return nodes.length > 0 && waitsForPartition(claim);
  }
  if (claim.deletingAt === undefined) return !isAlive;
  return claim.registeredAt === undefined || claim.drainedAt !== undefined || !isAlive;
}

/**
 * An instance that the claim does not know of yet is in its launch record; one of a release without
 * such records carries the claim's name.
 */
async function findInstance(ports: ObservationPorts, claim: NodeClaim): Promise<InstanceSeen> {
  const providerId =
    claim.launch?.providerId ?? (await leaveLaunchRecord(ports, launchIdOf(claim), claim.name));
  if (providerId !== undefined) {
    return (await findShiftedInstance(ports, providerId)) ?? toObservedInstance(await ports.cloud.instance(providerId));
  }
  const instances = await ports.cloud.instances();
  const instance = instances.find((candidate) => candidate.claim === claim.name);
  return (instance && (await findShiftedInstance(ports, instance.providerId))) ?? toObservedInstance(instance);
}

/** What is on record of an instance that EC2 is not asked about; absent: it may be asked. */
async function findShiftedInstance(ports: ObservationPorts, providerId: string): Promise<InstanceSeen | undefined> {
  const shift = await findShiftAwayFrom(ports, providerId);
  return shift && { providerId, state: 'running', shift };
}

function toObservedInstance(instance: Instance | undefined): InstanceSeen {
  if (!instance) return { state: 'gone' };
  const { providerId, state, partition } = instance;
  return {
    providerId,
    state: state === 'terminated' ? 'gone' : state,
    ...(partition !== undefined && { partition }),
  };
}
