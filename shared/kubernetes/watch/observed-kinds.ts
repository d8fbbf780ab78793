import * as z from 'zod';
import { textsSchema } from '../../api/builtin-resources/metadata.ts';
import type { PriorityClass } from '../../api/builtin-resources/priority-class.ts';
import type { Labels } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { NodeClassReadiness } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { NodeDrivers, StorageClass, Volume, VolumeClaim } from '../../model/pods/storage.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ObservedPod } from '../../ports/view-store.ts';
import {
  type ApiResource,
  CSI_NODES,
  DAEMON_SETS,
  EC2_NODE_CLASSES,
  NAMESPACES,
  NODE_CLAIMS,
  NODE_POOLS,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  PRIORITY_CLASSES,
  STORAGE_CLASSES,
  VOLUME_CLAIMS,
  VOLUMES,
} from '../client/api-resources.ts';
import { type LiveReading, readLive } from '../readers/live-object.ts';
import { type LiveDaemonSet, pickDaemonSet, readPriorityClass } from '../readers/read-daemon-set.ts';
import { readNode } from '../readers/read-node.ts';
import { readNodeClaim } from '../readers/read-node-claim.ts';
import { readNodeClassReadiness, readNodePool } from '../readers/read-node-pool.ts';
import { readPod } from '../readers/read-pod.ts';
import { readPodDisruptionBudget } from '../readers/read-pod-disruption-budget.ts';
import { createPodTemplateReader, type PodTemplateReader } from '../readers/read-pod-template.ts';
import { readNodeDrivers, readStorageClass, readVolume, readVolumeClaim } from '../readers/read-storage.ts';
import type { ClusterChange } from './hints-of-change.ts';
import { createObjectStore, type ObjectStore } from './object-store.ts';
import { createPodEventTimes, type PodEventTimes } from './pod-event-times.ts';

/** A kind that decisions read: where it is served, how it is parsed and its current objects. */
export interface ObservedKind<T = unknown> {
  readonly resource: ApiResource;
  readonly store: ObjectStore<T>;
  read(raw: unknown): LiveReading<T>;
}

/** All kinds of an observation. */
export interface ObservedKinds {
  readonly templates: PodTemplateReader;
  readonly podEvents: PodEventTimes;
  readonly pods: ObservedKind<ObservedPod>;
  readonly nodes: ObservedKind<Node>;
  readonly nodeClaims: ObservedKind<NodeClaimObject | undefined>;
  readonly pools: ObservedKind<NodePool | undefined>;
  readonly nodeClasses: ObservedKind<NodeClassReadiness>;
  /** Parsed when the PriorityClasses are known. */
  readonly daemonSets: ObservedKind<LiveDaemonSet>;
  readonly priorityClasses: ObservedKind<PriorityClass>;
  readonly budgets: ObservedKind<PodDisruptionBudget>;
  readonly namespaces: ObservedKind<LiveNamespace>;
  readonly volumeClaims: ObservedKind<VolumeClaim>;
  readonly volumes: ObservedKind<Volume>;
  readonly storageClasses: ObservedKind<StorageClass>;
  readonly nodeDrivers: ObservedKind<NodeDrivers>;
}

/**
 * @param onChange - called for each change that hints may follow from, when it is stored
 */
export function createObservedKinds(
  now: () => EpochMs,
  onChange: (change: ClusterChange) => void = () => {},
): ObservedKinds {
  const templates = createPodTemplateReader();
  const podEvents = createPodEventTimes(now);
  const kind = <T>(
    resource: ApiResource,
    read: (raw: unknown) => LiveReading<T>,
    store: ObjectStore<T> = createObjectStore(),
  ): ObservedKind<T> => ({ resource, read, store });
  const createNamedStore = <T extends { readonly name: string } | undefined>(
    what: 'NodePool' | 'EC2NodeClass',
  ): ObjectStore<T> =>
    createObjectStore((before, after) => {
      const object = after ?? before;
      if (object) onChange({ kind: what, name: object.name });
    });

  return {
    templates,
    podEvents,
    pods: kind(
      PODS,
      (raw) => readPod(templates, raw),
      createObjectStore((before, after) => {
        podEvents.onPodChange(before, after);
        onChange({
          kind: 'Pod',
          ...(before && { before: before.pod }),
          ...(after && { after: after.pod }),
        });
      }),
    ),
    nodes: kind(
      NODES,
      readNode,
      createObjectStore((before, after) => {
        if (before && !after) podEvents.onNodeRemoved(before.name);
        onChange({ kind: 'Node', ...(before && { before }), ...(after && { after }) });
      }),
    ),
    nodeClaims: kind(
      NODE_CLAIMS,
      readNodeClaim,
      createObjectStore((before, after) => {
        onChange({ kind: 'NodeClaim', ...(before && { before }), ...(after && { after }) });
      }),
    ),
    pools: kind(NODE_POOLS, readNodePool, createNamedStore('NodePool')),
    nodeClasses: kind(EC2_NODE_CLASSES, readNodeClassReadiness, createNamedStore('EC2NodeClass')),
    daemonSets: kind(DAEMON_SETS, pickDaemonSet),
    priorityClasses: kind(PRIORITY_CLASSES, readPriorityClass),
    budgets: kind(POD_DISRUPTION_BUDGETS, readPodDisruptionBudget),
    namespaces: kind(NAMESPACES, readNamespace),
    volumeClaims: kind(VOLUME_CLAIMS, readVolumeClaim),
    volumes: kind(VOLUMES, readVolume),
    storageClasses: kind(STORAGE_CLASSES, readStorageClass),
    nodeDrivers: kind(CSI_NODES, readNodeDrivers),
  };
}

/** All kinds but pods, which are read last. */
export const listKindsExceptPods = (kinds: ObservedKinds): readonly ObservedKind[] => [
  kinds.nodes,
  kinds.nodeClaims,
  kinds.pools,
  kinds.nodeClasses,
  kinds.daemonSets,
  kinds.priorityClasses,
  kinds.budgets,
  kinds.namespaces,
  kinds.volumeClaims,
  kinds.volumes,
  kinds.storageClasses,
  kinds.nodeDrivers,
];

export interface LiveNamespace {
  readonly name: string;
  readonly labels: Labels;
}

const schema = z.object({
  metadata: z.object({ name: z.string(), labels: textsSchema.default({}) }),
});

/** The API server adds the namespace's name to its labels. */
const readNamespace = (raw: unknown): LiveReading<LiveNamespace> =>
  readLive('Namespace', schema, raw, ({ metadata: { name, labels } }) => ({
    outcome: 'read',
    value: { name, labels },
  }));
