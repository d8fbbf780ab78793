import type { ClusterManifests } from '../api/manifests/cluster-manifests.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../model/labels.ts';
import { isTerminal } from '../model/pods/disruption-pods.ts';
import { type OwnerReference, type Pod, type PodTemplate, podKey } from '../model/pods/pod.ts';
import { isDaemon, type Workload, workloadNameOf } from '../model/pods/workload.ts';
import { changePools } from './change-pools.ts';
import { type MemberNode, removeNodes, toPendingPod } from './remove-nodes.ts';

/** Changes of a cluster; those that are `undefined` are not made. */
export interface ClusterChanges {
  /** NodePools, EC2NodeClasses, workloads and pods, which replace those of the same name. */
  readonly manifests?: Pick<ClusterManifests, 'pools' | 'nodeClasses' | 'workloads' | 'pods'>;
  readonly scale?: WorkloadScale;
  /** Its nodes are gone, and EC2 has no capacity there. */
  readonly lostZone?: string;
  /** EC2 takes back all spot nodes, and has no spot capacity left. */
  readonly losesSpot?: boolean;
  readonly spotPriceFactor?: number;
}

/** Returns the snapshot with the changes; nothing is decided about them yet. */
export function changeSnapshot(
  snapshot: ClusterSnapshot,
  { manifests, scale, lostZone, losesSpot = false, spotPriceFactor }: ClusterChanges,
): ClusterSnapshot {
  let changed = snapshot;
  if (manifests) changed = changeWorkloads(changePools(changed, manifests), manifests);
  if (scale) changed = scaleWorkload(changed, scale);
  if (spotPriceFactor !== undefined) changed = multiplySpotPrices(changed, spotPriceFactor);
  if (lostZone !== undefined) {
    changed = removeNodes(changed, (node) => zoneOf(node) === lostZone);
    const offerings = changed.offerings.filter(({ zone }) => zone !== lostZone);
    changed = { ...changed, offerings };
  }
  if (losesSpot) {
    changed = removeNodes(changed, (node) => capacityTypeOf(node) === 'spot');
    const offerings = changed.offerings.filter(({ capacityType }) => capacityType !== 'spot');
    changed = { ...changed, offerings };
  }
  return changed;
}

const zoneOf = ({ node, claim }: MemberNode): string | undefined => claim?.launch?.zone ?? node?.labels[ZONE_LABEL];

const capacityTypeOf = ({ node, claim }: MemberNode): string | undefined =>
  claim?.launch?.capacityType ?? node?.labels[CAPACITY_TYPE_LABEL];

/** The price of a spot node that runs follows the price of its offering. */
function multiplySpotPrices(snapshot: ClusterSnapshot, factor: number): ClusterSnapshot {
  return {
    ...snapshot,
    offerings: snapshot.offerings.map((offering) =>
      offering.capacityType === 'spot' ? { ...offering, hourlyUsd: offering.hourlyUsd * factor } : offering,
    ),
    claims: snapshot.claims.map((claim) =>
      claim.launch?.capacityType === 'spot'
        ? { ...claim, launch: { ...claim.launch, hourlyUsd: claim.launch.hourlyUsd * factor } }
        : claim,
    ),
  };
}

interface WorkloadScale {
  readonly namespace: string;
  /** The Deployment, StatefulSet or Job. */
  readonly name: string;
  readonly replicas: number;
}

type WorkloadName = Pick<WorkloadScale, 'namespace' | 'name'>;

/** True for pods that the workload's controller counts. */
const isPodOf =
  ({ namespace, name }: WorkloadName) =>
  (pod: Pod): boolean =>
    pod.namespace === namespace && !isDaemon(pod) && !isTerminal(pod) && workloadNameOf(pod) === name;

/** Creates pods like the existing ones, or removes pods: pending ones first, then the newest. */
function scaleWorkload(snapshot: ClusterSnapshot, scale: WorkloadScale): ClusterSnapshot {
  const pods = snapshot.pods.filter(isPodOf(scale));
  const [sample] = pods;
  if (!sample) return snapshot;
  const surplus = pods.length - scale.replicas;
  if (surplus > 0) {
    const removed = new Set(pods.toSorted(byDeletionOrder).slice(0, surplus));
    return { ...snapshot, pods: snapshot.pods.filter((pod) => !removed.has(pod)) };
  }
  const { labels, annotations, spec, owner } = sample;
  // A volume of one pod is not the volume of its copies.
  const volumeClaims = spec.volumeClaims.filter((claim) => !claim.endsWith(`-${sample.name}`));
  const template = { labels, annotations, spec: { ...spec, volumeClaims } };
  const created = createPods(snapshot, { ...scale, template, count: -surplus, owner });
  return { ...snapshot, pods: [...snapshot.pods, ...created] };
}

const byDeletionOrder = (a: Pod, b: Pod): number =>
  Number(a.nodeName !== undefined) - Number(b.nodeName !== undefined) ||
  b.createdAt - a.createdAt ||
  (a.name < b.name ? -1 : 1);

/** A written workload gets new pods in place of all its pods, as after a rollout. */
function changeWorkloads(
  snapshot: ClusterSnapshot,
  { workloads, pods }: Pick<ClusterManifests, 'workloads' | 'pods'>,
): ClusterSnapshot {
  const rolledOut = workloads.reduce(changeWorkload, snapshot);
  const written = new Set(pods.map(podKey));
  return {
    ...rolledOut,
    pods: [
      ...rolledOut.pods.filter((pod) => !written.has(podKey(pod))),
      ...pods.map((pod) => toPendingPod(pod, snapshot.takenAt)),
    ],
  };
}

function changeWorkload(snapshot: ClusterSnapshot, workload: Workload): ClusterSnapshot {
  const { namespace, name, template } = workload;
  if (workload.kind === 'DaemonSet') {
    const isOther = (one: WorkloadName) => one.namespace !== namespace || one.name !== name;
    return { ...snapshot, daemonSets: [...snapshot.daemonSets.filter(isOther), workload] };
  }
  const others = snapshot.pods.filter((pod) => !isPodOf(workload)(pod));
  const count = workload.kind === 'Job' ? workload.parallelism : workload.replicas;
  const created = createPods(snapshot, { namespace, name, template, count, owner: undefined });
  return { ...snapshot, pods: [...others, ...created] };
}

interface NewPods extends WorkloadName {
  readonly template: PodTemplate;
  readonly count: number;
  /** The owner of the pods that exist; `undefined` for a new one. */
  readonly owner: OwnerReference | undefined;
}

function createPods(
  { pods, takenAt }: ClusterSnapshot,
  { namespace, name, template, count, owner = ownerOf({ namespace, name }) }: NewPods,
): readonly Pod[] {
  const taken = new Set(pods.map(podKey));
  const created: Pod[] = [];
  for (let number = 1; created.length < count; number += 1) {
    const podName = `${name}-new-${number}`;
    const key = podKey({ namespace, name: podName });
    if (taken.has(key)) continue;
    const identity = { namespace, name: podName, uid: key, owner };
    const pod: Pod = {
      ...template,
      ...identity,
      createdAt: takenAt,
      phase: 'Pending',
      ready: false,
    };
    created.push(toPendingPod(pod, takenAt));
  }
  return created;
}

/** The name has the form of a Deployment's ReplicaSet. */
const ownerOf = ({ namespace, name }: WorkloadName): OwnerReference => ({
  kind: 'ReplicaSet',
  name: `${name}-00000`,
  uid: `new ${namespace}/${name}`,
});
