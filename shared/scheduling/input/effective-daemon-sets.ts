import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type DaemonSet, isDaemon } from '../../model/pods/workload.ts';
import { DEFAULT_SETTINGS } from '../../model/settings.ts';
import type { SnapshotWithDaemonSets } from './snapshot-stages.ts';

/**
 * Replaces the requests of each DaemonSet by those of its newest pod, and removes DaemonSets that
 * need no capacity.
 */
export const resolveDaemonSets = (snapshot: ClusterSnapshot): SnapshotWithDaemonSets => ({
  ...snapshot,
  daemonSets: countedDaemonSets(snapshot, withLiveRequests(snapshot)),
  stage: 'daemon-sets',
});

/**
 * Takes requests and host ports from the newest pod, because a LimitRange or a webhook may change
 * them. Node selection still comes from the template: the controller pins each pod to one node.
 */
function withLiveRequests({ pods, daemonSets: templates }: ClusterSnapshot): readonly DaemonSet[] {
  const newest = findNewestPods(pods);
  if (newest.size === 0) return templates;
  const newestPods = templates.map((one) => newest.get(toNamespacedName(one)));
  const cached = updatedLists.get(templates);
  if (cached?.newestPods.every((pod, index) => pod?.spec === newestPods[index]?.spec)) {
    return cached.daemonSets;
  }
  const daemonSets = templates.map((one, index) => withRequestsOfPod(one, newestPods[index]));
  updatedLists.set(templates, { newestPods, daemonSets });
  return daemonSets;
}

// The prepared list is reused by the next decision as long as the DaemonSets and their newest specs
// are the same.
const updatedLists = new WeakMap<
  readonly DaemonSet[],
  { readonly newestPods: readonly (Pod | undefined)[]; readonly daemonSets: readonly DaemonSet[] }
>();

const toNamespacedName = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
  `${namespace}/${name}`;

function findNewestPods(pods: readonly Pod[]): Map<string, Pod> {
  const newest = new Map<string, Pod>();
  for (const pod of pods) {
    if (!pod.owner || !isDaemon({ owner: pod.owner })) continue;
    const key = toNamespacedName({ namespace: pod.namespace, name: pod.owner.name });
    const other = newest.get(key);
    if (!other || pod.createdAt > other.createdAt) newest.set(key, pod);
  }
  return newest;
}

function withRequestsOfPod(daemonSet: DaemonSet, pod: Pod | undefined): DaemonSet {
  if (!pod) return daemonSet;
  const { requests, hostPorts } = pod.spec;
  const { template } = daemonSet;
  return {
    ...daemonSet,
    template: { ...template, spec: { ...template.spec, requests, hostPorts } },
  };
}

// Caches are keyed by the list of DaemonSets, so the filtered list must stay one object.
const withoutClaims = new WeakMap<readonly DaemonSet[], readonly DaemonSet[]>();

/**
 * Removes DaemonSets that claim devices if device claims are ignored: no capacity is kept for them.
 */
function countedDaemonSets(
  { settings = DEFAULT_SETTINGS }: ClusterSnapshot,
  daemonSets: readonly DaemonSet[],
): readonly DaemonSet[] {
  if (!settings.ignoreDraRequests || !daemonSets.some(claimsDevices)) return daemonSets;
  return getOrCreate(withoutClaims, daemonSets, () => daemonSets.filter((one) => !claimsDevices(one)));
}

const claimsDevices = ({ template }: DaemonSet): boolean => template.spec.deviceClaims !== undefined;
