import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { isActive } from '../../model/pods/disruption-pods.ts';
import type { OwnerReference, Pod } from '../../model/pods/pod.ts';
import type { Storage } from '../../model/pods/storage.ts';
import type { PodOwner, StatefulSet, Workload } from '../../model/pods/workload.ts';
import { DAY_MS } from '../../model/time.ts';
import { ownerReferenceOf } from '../workloads/workload-owner.ts';

/** The workloads of a snapshot, and its pods as theirs. */
export interface RestoredWorkloads {
  readonly workloads: readonly Workload[];
  readonly pods: readonly Pod[];
  /** The kinds of owners that no simulated controller serves: their pods are not replaced. */
  readonly otherOwners: readonly string[];
  /** True if a Job has pods: nothing tells how long they run. */
  readonly hasJobs: boolean;
}

/**
 * Derives the workloads from the pods, because a snapshot contains no templates: each owner creates
 * further pods like the first that it has.
 */
export function restoreWorkloads(snapshot: ClusterSnapshot, seed: number): RestoredWorkloads {
  const owners = new Map((snapshot.owners ?? []).map((owner) => [owner.uid, owner]));
  const daemonSets = new Map(snapshot.daemonSets.map((set) => [`${set.namespace}/${set.name}`, set]));
  const workloads: Workload[] = [...snapshot.daemonSets];
  const pods: Pod[] = [];
  const otherOwners = new Set<string>();
  const groups = Map.groupBy(snapshot.pods, ({ owner }) => owner?.uid);
  const names = countDeployments([...groups.values()]);

  for (const [uid, members] of groups) {
    const [first] = members;
    const { owner } = first ?? {};
    if (!first || !owner || uid === undefined) {
      pods.push(...members);
      continue;
    }
    const workload =
      owner.kind === 'DaemonSet'
        ? daemonSets.get(`${first.namespace}/${owner.name}`)
        : toWorkload(members, first, {
            names,
            owner,
            record: owners.get(uid),
            storage: snapshot.storage,
          });
    if (!workload) {
      otherOwners.add(owner.kind);
      pods.push(...members);
      continue;
    }
    if (workload.kind !== 'DaemonSet') workloads.push(workload);
    const adopted = ownerReferenceOf(seed, workload);
    pods.push(...members.map((pod) => ({ ...pod, owner: adopted })));
  }
  return {
    workloads,
    pods,
    otherOwners: [...otherOwners].toSorted(),
    hasJobs: workloads.some(({ kind }) => kind === 'Job'),
  };
}

interface Known {
  readonly names: ReadonlyMap<string, number>;
  readonly owner: OwnerReference;
  /** Undefined if the owner could not be read, or if it is not a recent one. */
  readonly record: PodOwner | undefined;
  readonly storage: Storage | undefined;
}

function toWorkload(
  members: readonly Pod[],
  first: Pod,
  { names, owner, record, storage }: Known,
): Workload | undefined {
  const { namespace, labels, annotations, spec } = first;
  const template = { labels, annotations, spec };
  const replicas = record?.desiredPods ?? members.filter(isActive).length;
  const base = { namespace, annotations: {}, template };
  switch (owner.kind) {
    case 'ReplicaSet': {
      const name = deploymentOf(first);
      // During a rollout, a Deployment has two ReplicaSets: each stays as it is.
      const isOnly = names.get(`${namespace}/${name}`) === 1;
      return { ...base, kind: 'Deployment', name: isOnly ? name : owner.name, replicas };
    }
    case 'StatefulSet':
      return {
        ...base,
        kind: 'StatefulSet',
        name: owner.name,
        replicas,
        ...splitClaims(first, storage),
      };
    case 'Job':
      return {
        ...base,
        kind: 'Job',
        name: owner.name,
        ...{ completions: replicas, parallelism: replicas, runForMs: FOR_EVER_MS },
      };
    default:
      return undefined;
  }
}

/** Tells the claims that each pod has for itself, which end with its name, from shared ones. */
function splitClaims(
  { namespace, name: pod, labels, annotations, spec }: Pod,
  storage: Storage | undefined,
): Pick<StatefulSet, 'template' | 'volumeClaimTemplates'> {
  const own = spec.volumeClaims.filter((name) => name.endsWith(`-${pod}`));
  const volumeClaims = spec.volumeClaims.filter((name) => !own.includes(name));
  if (own.length === 0) return { template: { labels, annotations, spec } };
  return {
    template: { labels, annotations, spec: { ...spec, volumeClaims } },
    volumeClaimTemplates: own.map((name) => {
      const claim = storage?.claims.find((one) => one.namespace === namespace && one.name === name);
      const { storageClass, oncePod } = claim ?? {};
      return {
        name: name.slice(0, -pod.length - 1),
        ...(storageClass !== undefined && { storageClass }),
        ...(oncePod && { oncePod }),
      };
    }),
  };
}

/** Longer than any simulation. */
const FOR_EVER_MS = 10_000 * DAY_MS;

/** The name of a ReplicaSet is that of its Deployment and the hash of the template. */
function deploymentOf({ owner, labels }: Pod): string {
  const name = owner?.name ?? '';
  const suffix = `-${labels['pod-template-hash'] ?? ''}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

/** Counts the ReplicaSets of each Deployment, by namespace and name. */
function countDeployments(groups: readonly (readonly Pod[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [first] of groups) {
    if (first?.owner?.kind !== 'ReplicaSet') continue;
    const key = `${first.namespace}/${deploymentOf(first)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
