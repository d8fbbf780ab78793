import type { UnreadableObject } from '../../model/cluster-snapshot.ts';
import { UnreadableRowError } from '../../model/errors.ts';
import {
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  pickReadAnnotations,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { Offering } from '../../model/offerings/instance-type.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { RecordList, UnreadableRecord } from '../../ports/records.ts';

/*
 * Records that cannot be read: a newer release wrote them before a rollback, or they were changed by
 * hand. One such record must stop nothing but the work on its own object.
 *
 * - A NodeClaim is not launched, drained or terminated, and its instance is kept. In snapshots, its
 *   object in the cluster stands in for it: it counts towards limits, budgets and replicas, its room
 *   is used, and no disruption chooses it. Without an object nothing is known of it, and then nothing
 *   is launched or removed.
 * - A Launch: its claims wait, and its instances are kept.
 * - A Command: no other disruption starts, because budgets do not know its nodes.
 * - The Commit, or a Nomination: decisions that rest on it wait.
 */

/** Runs `read`; `undefined` if the record cannot be read, which the reader has reported. */
export async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableRowError)) throw error;
    return undefined;
  }
}

/** Reads a record; an unreadable one becomes an object that forbids such decisions. */
export async function readOrForbid<T>(
  read: () => Promise<T>,
  forbids: UnreadableObject['forbids'],
): Promise<{ readonly value: T } | { readonly missing: UnreadableObject }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!(error instanceof UnreadableRowError)) throw error;
    const [kind = '', ...name] = error.record.split('#');
    const missing = { name: name.join('#'), why: String(error.cause) };
    return { missing: toMissing(kind, missing, forbids) };
  }
}

const toMissing = (
  kind: string,
  { name, why }: UnreadableRecord,
  forbids: UnreadableObject['forbids'],
): UnreadableObject => ({ kind: `${kind} record`, name, why, forbids });

/**
 * For work that needs every record.
 *
 * @throws UnreadableRowError
 */
export function requireReadable(kind: string, { unreadable }: RecordList<unknown>): void {
  const [first] = unreadable;
  if (first) throw new UnreadableRowError(`${kind}#${first.name}`, { cause: first.why });
}

export interface UnreadableClaims {
  /** Claims that count like the unreadable ones and that no disruption chooses. */
  readonly standIns: readonly NodeClaim[];
  /** Claims of which nothing is known. */
  readonly missing: readonly UnreadableObject[];
}

/** Finds what the cluster tells about claims whose records cannot be read. */
export function findStandIns(
  unreadable: readonly UnreadableRecord[],
  { nodeClaims, nodes }: Pick<ClusterObjects, 'nodeClaims' | 'nodes'>,
  offerings: readonly Offering[],
): UnreadableClaims {
  const standIns: NodeClaim[] = [];
  const missing: UnreadableObject[] = [];
  for (const record of unreadable) {
    const object = nodeClaims.find(({ name }) => name === record.name);
    const node = nodes.find(({ providerId }) => providerId !== undefined && providerId === object?.providerId);
    const standIn = object && toStandIn(object, node, offerings);
    if (standIn) standIns.push(standIn);
    else missing.push(toMissing('NodeClaim', record, ['launch', 'remove']));
  }
  return { standIns, missing };
}

const STAND_IN = 'unreadable';

/** True for a claim of a snapshot whose record cannot be read. */
export const isStandIn = ({ decision }: NodeClaim): boolean => decision === STAND_IN;

/**
 * @returns undefined if the object does not say how large its node is or will be
 */
function toStandIn(
  object: NodeClaimObject,
  node: Node | undefined,
  offerings: readonly Offering[],
): NodeClaim | undefined {
  const { name, uid, createdAt, annotations, taints, nodeName, requests } = object;
  const labels = { ...object.labels, ...node?.labels };
  const launch = object.providerId === undefined ? undefined : toLaunch(object, labels, offerings);
  const instanceTypes = launch ? [launch.instanceType] : listInstanceTypes(object);
  if (instanceTypes.length === 0) return undefined;
  const isRegistered = node?.labels[REGISTERED_LABEL] === 'true';
  const isInitialized = isRegistered && node.labels[INITIALIZED_LABEL] === 'true';
  return {
    name,
    uid,
    pool: labels[NODEPOOL_LABEL] ?? '',
    poolHash: '',
    nodeClass: object.nodeClass,
    createdAt,
    labels,
    annotations: pickReadAnnotations(annotations),
    taints,
    startupTaints: isInitialized ? [] : object.startupTaints,
    requirements: object.requirements,
    instanceTypes,
    requests,
    decision: STAND_IN,
    keptByHand: true,
    ...(object.deletionAt !== undefined && { deletingAt: object.deletionAt }),
    ...(launch && { launch }),
    ...(nodeName !== undefined && { nodeName }),
    ...(isRegistered && { registeredAt: createdAt }),
    ...(isInitialized && { initializedAt: createdAt }),
  };
}

/** `undefined` if the labels lack the offering. */
function toLaunch(
  { providerId, createdAt, capacity, allocatable }: NodeClaimObject,
  labels: NodeClaimObject['labels'],
  offerings: readonly Offering[],
): Launch | undefined {
  const instanceType = labels[INSTANCE_TYPE_LABEL];
  const zone = labels[ZONE_LABEL];
  const capacityType = labels[CAPACITY_TYPE_LABEL];
  if (providerId === undefined || instanceType === undefined || zone === undefined) return undefined;
  if (capacityType !== 'spot' && capacityType !== 'on-demand' && capacityType !== 'reserved') return undefined;
  const offering = offerings.find(
    (one) => one.instanceType === instanceType && one.zone === zone && one.capacityType === capacityType,
  );
  return {
    providerId,
    instanceType,
    zone,
    capacityType,
    hourlyUsd: offering?.hourlyUsd ?? 0,
    at: createdAt,
    labels,
    capacity,
    allocatable,
  };
}

const listInstanceTypes = ({ requirements }: NodeClaimObject): readonly string[] =>
  requirements.flatMap((requirement) =>
    requirement.key === INSTANCE_TYPE_LABEL && requirement.operator === 'In' ? (requirement.values ?? []) : [],
  );
