import * as z from 'zod';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { NotReady } from '../../../shared/model/nodes/node-class.ts';
import type { PoolHours } from '../../../shared/model/nodes/pool-hours.ts';
import type { InstanceType, UnavailableOffering } from '../../../shared/model/offerings/instance-type.ts';

import { readBundle } from '../../vectors/bundle.ts';
import { situation } from '../../vectors/case-schema.ts';
import type { Choices } from '../../vectors/random/choices.ts';
import { toSnapshot } from '../../vectors/read-case.ts';
import { asObject, type JsonObject } from './json.ts';

/**
 * One Deployment `web` and the NodePool `general` as a user writes them, and what surrounds them. Faults change
 * it, patches are applied to it, and the planner reads it.
 */
export interface BrokenCluster {
  /** The Deployment's replicas and template. */
  readonly replicas: number;
  readonly template: JsonObject;
  readonly pool: JsonObject;
  readonly otherPools: readonly JsonObject[];
  readonly boundPods: readonly JsonObject[];
  readonly nodes: readonly JsonObject[];
  readonly daemonSets: readonly JsonObject[];
  readonly storage: {
    readonly storageClasses: readonly JsonObject[];
    readonly persistentVolumes: readonly JsonObject[];
    readonly persistentVolumeClaims: readonly JsonObject[];
  };
  /** The state of the EC2NodeClass, which no manifest has. */
  readonly nodeClass: {
    readonly notReady?: NotReady;
    readonly zones?: readonly string[];
    readonly fullZones?: readonly string[];
    readonly maxPods?: number;
    readonly diskGib?: number;
  };
  readonly hours?: PoolHours;
  readonly unavailable: readonly UnavailableOffering[];
  readonly takenAt: number;
}

export const NOW = Date.parse('2026-06-01T12:00:00Z');

const CATALOG = 'ec2-80';
const readCatalogs = () => readBundle(new URL('../../vectors/data/scheduling.json.gz', import.meta.url), z.unknown());
let bundle: ReturnType<typeof readCatalogs> | undefined;

/** Reads the cluster as the planner sees it: the pods of the Deployment wait for a node. */
export function readBrokenCluster(cluster: BrokenCluster): ClusterSnapshot {
  bundle ??= readCatalogs();
  const owner = { kind: 'ReplicaSet', name: 'web-7c9', uid: 'web-7c9' };
  const metadata = asObject(cluster.template.metadata);
  const spec = asObject(cluster.template.spec);
  const written = situation.parse({
    name: 'broken',
    now: new Date(cluster.takenAt).toISOString(),
    catalog: CATALOG,
    nodePools: [cluster.pool, ...cluster.otherPools],
    pods: [
      {
        metadata: {
          ...metadata,
          name: 'web-7c9',
          labels: { ...asObject(metadata.labels), 'pod-template-hash': '7c9' },
          ownerReferences: [owner],
        },
        replicas: cluster.replicas,
        spec,
        // The API server reports other pods as Unschedulable once kube-scheduler has tried them.
        ...('schedulingGates' in spec && { status: { phase: 'Pending' } }),
      },
    ],
    boundPods: cluster.boundPods,
    nodes: cluster.nodes,
    daemonSets: cluster.daemonSets,
    ...cluster.storage,
  });
  return withClassState(toSnapshot(written, bundle.catalogs), cluster);
}

/** Pods are created a minute before the cluster is looked at. */
function withClassState(snapshot: ClusterSnapshot, { nodeClass, hours, unavailable }: BrokenCluster): ClusterSnapshot {
  const { notReady, zones, fullZones, maxPods, diskGib } = nodeClass;
  const sized = (type: InstanceType): InstanceType => {
    const extra = {
      ...(maxPods !== undefined && { pods: maxPods }),
      ...(diskGib !== undefined && { 'ephemeral-storage': diskGib * GIB }),
    };
    const { capacity, allocatable } = type;
    const usable = { ...extra, ...(diskGib !== undefined && { 'ephemeral-storage': usableDisk(diskGib) }) };
    return { ...type, capacity: { ...capacity, ...extra }, allocatable: { ...allocatable, ...usable } };
  };
  const isSized = maxPods !== undefined || diskGib !== undefined;
  return {
    ...snapshot,
    instanceTypes: isSized
      ? Object.fromEntries(Object.entries(snapshot.instanceTypes).map(([pool, types]) => [pool, types.map(sized)]))
      : snapshot.instanceTypes,
    pools: snapshot.pools.map((pool) => ({
      ...pool,
      ...(pool.name === POOL && hours && { hours }),
      ...(notReady && { ready: false, notReady }),
    })),
    ...(zones && { zones: Object.fromEntries(snapshot.pools.map(({ name }) => [name, zones])) }),
    ...(fullZones && { fullZones: Object.fromEntries(snapshot.pools.map(({ name }) => [name, fullZones])) }),
    unavailable,
  };
}

const GIB = 2 ** 30;
/** The kubelet keeps 1Gi and evicts below a tenth. */
const usableDisk = (gib: number): number => gib * GIB * 0.9 - GIB;

export const POOL = 'general';
export const DEPLOYMENT = 'web';
export const NAMESPACE = 'default';

/** One mistake of a user, or one lack of the cloud, that keeps the pods of a working cluster from running. */
export type Fault = (cluster: BrokenCluster, choices: Choices) => BrokenCluster;
