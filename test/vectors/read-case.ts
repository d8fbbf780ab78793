import { createHash } from 'node:crypto';
import * as z from 'zod';
import { readSelector } from '../../shared/api/builtin-resources/label-selector.ts';
import { podTemplateSchema, readPodTemplate } from '../../shared/api/builtin-resources/pod-template.ts';
import {
  csiNodeSchema,
  readNodeDrivers,
  readStorageClass,
  readVolume,
  readVolumeClaim,
  storageClassSchema,
  volumeClaimSchema,
  volumeSchema,
} from '../../shared/api/builtin-resources/storage.ts';
import { NODE_OVERLAY } from '../../shared/api/custom-resources/node-overlay.ts';
import { readNodeOverlay } from '../../shared/api/stored-objects/node-overlay.ts';
import { nodePoolSchema, readNodePool } from '../../shared/api/stored-objects/node-pool.ts';
import { readStoredSpec } from '../../shared/api/stored-objects/read-stored.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { Labels } from '../../shared/model/labels.ts';
import { ARCH_LABEL, INSTANCE_TYPE_LABEL, OS_LABEL } from '../../shared/model/labels.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { InstanceType, Offering } from '../../shared/model/offerings/instance-type.ts';
import type { NodeOverlay } from '../../shared/model/offerings/node-overlay.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import type { Storage } from '../../shared/model/pods/storage.ts';
import type { DaemonSet, PodDisruptionBudget } from '../../shared/model/pods/workload.ts';
import { toResources } from '../../shared/model/quantity.ts';
import { subtractResources } from '../../shared/model/resources.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../shared/model/settings.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import {
  instanceType,
  type Situation,
  type WrittenBudget,
  type WrittenPod,
  type WrittenPool,
  type WrittenType,
} from './case-schema.ts';
import { getCreation, toNode, toNodeClaim } from './read-nodes.ts';

/** Creates the snapshot of a case. `catalogs` has the shared lists of instance types by name. */
export function toSnapshot(vector: Situation, catalogs: (name: string) => unknown): ClusterSnapshot {
  const now = Date.parse(vector.now);
  const shared = vector.catalog === undefined ? [] : typesOfCatalog(catalogs(vector.catalog));
  const types = [...shared, ...vector.instanceTypes];
  const all = types.map(toInstanceType);
  const pools = vector.nodePools.map(toNodePool);
  return {
    takenAt: now,
    pods: [
      ...vector.pods.flatMap((pod) => toPods(pod, now - MINUTE_MS)),
      ...vector.boundPods.flatMap((pod) => toPods(pod, now - HOUR_MS)),
    ],
    nodes: vector.nodes.map((node) => toNode(node, now - HOUR_MS)),
    claims: vector.nodeClaims.map((claim) => toNodeClaim(claim, now - HOUR_MS)),
    pools,
    daemonSets: vector.daemonSets.map(
      ({ metadata: { name, namespace }, spec }): DaemonSet => ({
        kind: 'DaemonSet',
        name,
        namespace,
        annotations: {},
        template: readPodTemplate(podTemplateSchema.parse(spec.template), { value: 0 }),
      }),
    ),
    podDisruptionBudgets: vector.podDisruptionBudgets.map(toBudget),
    namespaces: toNamespaces(vector),
    storage: toStorage(vector),
    overlays: vector.nodeOverlays.flatMap(toOverlays),
    instanceTypes: Object.fromEntries(
      pools.map(({ name }) => {
        const only = ownValue(vector.instanceTypesFor, name);
        return [name, only ? all.filter((type) => only.includes(type.name)) : all];
      }),
    ),
    offerings: types.flatMap(({ name, offerings }) =>
      offerings
        .filter(({ available }) => available)
        .map(
          ({ zone, capacityType, price, ...reserved }): Offering => ({
            instanceType: name,
            zone,
            capacityType,
            hourlyUsd: price,
            ...toReservation(reserved),
          }),
        ),
    ),
    unavailable: vector.unavailable.map((one) => ({ ...one, until: now + HOUR_MS })),
    nominations: {},
    settings: toSettings(vector),
  };
}

const toReservation = ({
  reservationId: id,
  reservationCapacity: free,
}: Pick<WrittenType['offerings'][number], 'reservationId' | 'reservationCapacity'>): Pick<Offering, 'reservation'> =>
  id === undefined ? {} : { reservation: { id, kind: 'default', isInterruptible: false, free } };

const toSettings = ({ options }: Situation): DecisionSettings => ({
  ...DEFAULT_SETTINGS,
  preferencePolicy: options.preferencePolicy ?? DEFAULT_SETTINGS.preferencePolicy,
  // Karpenter's moves have no price.
  consolidationPaybackMs: 'Any',
  minValuesPolicy: options.minValuesPolicy ?? DEFAULT_SETTINGS.minValuesPolicy,
  gates: {
    ...DEFAULT_SETTINGS.gates,
    ReservedCapacity: options.reservedCapacity ?? true,
    NodeOverlay: options.nodeOverlay ?? false,
    SpotToSpotConsolidation: options.spotToSpotConsolidation ?? false,
  },
});

const typesOfCatalog = (value: unknown): WrittenType[] =>
  z
    .union([
      z.array(instanceType),
      z.object({ instanceTypes: z.array(instanceType) }).transform((one) => one.instanceTypes),
    ])
    .parse(value);

function toInstanceType({ name, requirements, capacity, overhead }: WrittenType): InstanceType {
  const labels: Record<string, string> = {
    [ARCH_LABEL]: 'amd64',
    [OS_LABEL]: 'linux',
    [INSTANCE_TYPE_LABEL]: name,
  };
  const choices: Record<string, string[]> = {};
  for (const [key, values] of valuesOf(requirements)) {
    const [first, ...more] = values;
    if (first === undefined) continue;
    delete labels[key];
    if (more.length > 0) choices[key] = values;
    else labels[key] = first;
  }
  const whole = toResources(capacity);
  return {
    name,
    labels,
    ...(Object.keys(choices).length > 0 ? { choices } : {}),
    capacity: whole,
    allocatable: Object.values(overhead).map(toResources).reduce(subtractResources, whole),
  };
}

const valuesOf = (written: WrittenType['requirements']): [string, string[]][] =>
  Array.isArray(written) ? written.map(({ key, values = [] }) => [key, values]) : Object.entries(written);

/** A NodePool with a foreign NodeClass is read as not Ready. */
function toNodePool(written: WrittenPool): NodePool {
  const pool = nodePoolSchema.parse({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    ...written,
  });
  const { name, deletionTimestamp } = written.metadata;
  const read = readNodePool(name, pool);
  const notReady = written.status?.conditions.some(({ type, status }) => type === 'Ready' && status !== 'True');
  const ready = !notReady && read.nodeClass.group === 'karpenter.k8s.aws';
  return { ...read, ready, deleting: deletionTimestamp !== undefined };
}

function toPods(written: WrittenPod, usuallyAt: EpochMs): Pod[] {
  const { metadata, spec, status, replicas } = written;
  const createdAt = getCreation(metadata, usuallyAt);
  const template = readPodTemplate(podTemplateSchema.parse(written), { value: 0 });
  const { name, namespace, labels, annotations, ownerReferences, deletionTimestamp } = metadata;
  const [owner] = ownerReferences;
  const { nodeName } = spec;
  const bound = nodeName !== undefined && nodeName !== '';
  const names = replicas === undefined ? [name] : Array.from({ length: replicas }, (_, index) => `${name}-${index}`);
  return names.map((one) => ({
    ...template,
    labels,
    annotations,
    namespace,
    name: one,
    uid: createRecordedUid(`Pod/${namespace}/${one}`),
    createdAt,
    ...(owner ? { owner } : {}),
    phase: status?.phase ?? (bound ? 'Running' : 'Pending'),
    ready: bound,
    ...(isUnschedulable(written) ? { unschedulableSince: createdAt } : {}),
    ...(bound ? { nodeName, startedAt: createdAt } : {}),
    ...(status?.nominatedNodeName ? { nominatedNodeName: status.nominatedNodeName } : {}),
    ...(deletionTimestamp ? { deletionAt: Date.parse(deletionTimestamp) } : {}),
  }));
}

/** The recorded runs used these UIDs, and Karpenter sorts equal pods by UID. */
const createRecordedUid = (object: string): string => createHash('sha256').update(object).digest('hex');

/** A waiting pod without status counts as tried by kube-scheduler. */
function isUnschedulable({ spec, status }: WrittenPod): boolean {
  if (!status) return !spec.nodeName;
  return (status.conditions ?? []).some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable');
}

const toBudget = ({ metadata, spec, status }: WrittenBudget): PodDisruptionBudget => ({
  namespace: metadata.namespace,
  name: metadata.name,
  ...(spec.selector ? { selector: readSelector(spec.selector) } : {}),
  ...(spec.minAvailable === undefined ? {} : { minAvailable: spec.minAvailable }),
  ...(spec.maxUnavailable === undefined ? {} : { maxUnavailable: spec.maxUnavailable }),
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  ...status,
});

/** An overlay that the API server would reject has no effect. */
function toOverlays({ metadata, spec }: Situation['nodeOverlays'][number]): NodeOverlay[] {
  const reading = readStoredSpec(NODE_OVERLAY, spec);
  if (reading.outcome === 'refused') return [];
  const { name } = metadata;
  return [readNodeOverlay({ name, uid: name, generation: 1 }, reading.value)];
}

const toStorage = (vector: Situation): Storage => ({
  claims: vector.persistentVolumeClaims.map((one) => readVolumeClaim(volumeClaimSchema.parse(one))),
  volumes: vector.persistentVolumes.map((one) => readVolume(volumeSchema.parse(one))),
  classes: vector.storageClasses.map((one) => readStorageClass(storageClassSchema.parse(one), 0)),
  drivers: vector.csiNodes.map((one) => readNodeDrivers(csiNodeSchema.parse(one))),
});

function toNamespaces(vector: Situation): Record<string, Labels> {
  const all: Record<string, Labels> = { default: { 'kubernetes.io/metadata.name': 'default' } };
  for (const { metadata: one } of [...vector.pods, ...vector.boundPods]) {
    all[one.namespace] = { 'kubernetes.io/metadata.name': one.namespace };
  }
  for (const { metadata: one } of vector.namespaces) {
    all[one.name] = { 'kubernetes.io/metadata.name': one.name, ...one.labels };
  }
  return all;
}
