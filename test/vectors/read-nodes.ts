import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { Launch, NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { CapacityType } from '../../shared/model/offerings/instance-type.ts';
import { toResources } from '../../shared/model/quantity.ts';
import type { Taint } from '../../shared/model/requirements/taints.ts';
import { DAY_MS, type EpochMs } from '../../shared/model/time.ts';
import type { WrittenClaim, WrittenNode } from './case-schema.ts';

/** Returns the creation time; objects without one get a usual age for their kind. */
export const getCreation = ({ creationTimestamp }: WrittenNode['metadata'], usuallyAt: EpochMs): EpochMs =>
  creationTimestamp === undefined ? usuallyAt : Date.parse(creationTimestamp);

export function toNode({ metadata, spec, status }: WrittenNode, usuallyAt: EpochMs): Node {
  const { name, labels, annotations, deletionTimestamp } = metadata;
  const createdAt = getCreation(metadata, usuallyAt);
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  return {
    name,
    uid: name,
    ...(spec.providerID ? { providerId: spec.providerID } : {}),
    createdAt,
    labels,
    annotations,
    taints: toTaints(spec),
    capacity: toResources(status.capacity),
    allocatable: toResources(status.allocatable),
    ready: ready ? ready.status === 'True' : true,
    finalizers: [],
    ...(deletionTimestamp ? { deletionAt: Date.parse(deletionTimestamp) } : {}),
  };
}

/** Kubernetes adds this taint to a cordoned node. */
const toTaints = ({ taints, unschedulable }: WrittenNode['spec']): Taint[] => [
  ...taints,
  ...(unschedulable && !taints.some(({ key }) => key === CORDONED.key) ? [CORDONED] : []),
];

const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export function toNodeClaim(written: WrittenClaim, usuallyAt: EpochMs): NodeClaim {
  const { metadata, spec, status } = written;
  const createdAt = getCreation(metadata, usuallyAt);
  const { name, labels, annotations, deletionTimestamp } = metadata;
  const isTrue = (type: string) => status.conditions.some((one) => one.type === type && one.status === 'True');
  const launch = toLaunch(written, createdAt);
  return {
    name,
    uid: name,
    pool: labels[NODEPOOL_LABEL] ?? '',
    poolHash: '',
    nodeClass: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    createdAt,
    labels,
    annotations,
    taints: spec.taints,
    startupTaints: spec.startupTaints,
    requirements: spec.requirements,
    instanceTypes: [labels[INSTANCE_TYPE_LABEL] ?? ''],
    requests: toResources(spec.resources.requests),
    decision: '',
    ...(launch ? { launch } : {}),
    ...(status.nodeName ? { nodeName: status.nodeName } : {}),
    ...(isTrue('Registered') ? { registeredAt: createdAt } : {}),
    ...(isTrue('Initialized') ? { initializedAt: createdAt } : {}),
    // A case says whether the node may be consolidated. The planner derives that from the last pod
    // event, which is set in the future here, so that consolidateAfter has not passed.
    ...(isTrue('Initialized') && !isTrue('Consolidatable') ? { lastPodEventAt: createdAt + DAY_MS } : {}),
    ...(deletionTimestamp ? { deletingAt: Date.parse(deletionTimestamp) } : {}),
  };
}

/** The price comes from the catalogue; the price at launch does not matter here. */
function toLaunch({ metadata, status }: WrittenClaim, at: EpochMs): Launch | undefined {
  const { labels } = metadata;
  if (!status.providerID) return undefined;
  return {
    providerId: status.providerID,
    instanceType: labels[INSTANCE_TYPE_LABEL] ?? '',
    zone: labels[ZONE_LABEL] ?? '',
    capacityType: capacityTypeOf(labels[CAPACITY_TYPE_LABEL]),
    hourlyUsd: 0,
    at,
    labels,
    capacity: toResources(status.capacity),
    allocatable: toResources(status.allocatable),
  };
}

const capacityTypeOf = (label: string | undefined): CapacityType =>
  label === 'spot' || label === 'reserved' ? label : 'on-demand';
