import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type DaemonSet, isDaemon } from '../../model/pods/workload.ts';
import { USUAL_SETTINGS } from '../../model/settings.ts';
import type { SnapshotWithDaemonSets } from './snapshot-stages.ts';

/** Replaces DaemonSets by what their pods really request, and leaves out those that need no room. */
export const resolveDaemonSets = (snapshot: ClusterSnapshot): SnapshotWithDaemonSets => ({
  ...snapshot,
  daemonSets: countedDaemonSets(snapshot, withLiveRequests(snapshot)),
  stage: 'daemon-sets',
});

/**
 * DaemonSets as their newest pods are: a LimitRange or a webhook changes what pods request, not the
 * template. Where they run stays the template's to say, for the controller pins each pod to a node.
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

// What is made ready for a decision is kept for the next one, as long as the list is the same.
const updatedLists = new WeakMap<
  readonly DaemonSet[],
  { readonly newestPods: readonly (Pod | undefined)[]; readonly daemonSets: readonly DaemonSet[] }
>();

const toNamespacedName = ({
  namespace,
  name,
}: {
  readonly namespace: string;
  readonly name: string;
}) => `${namespace}/${name}`;

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

// What is worked out for a list of DaemonSets is kept by the list.
const withoutClaims = new WeakMap<readonly DaemonSet[], readonly DaemonSet[]>();

/** Without DaemonSets that claim devices, where such claims are ignored: no room is kept for them. */
function countedDaemonSets(
  { settings = USUAL_SETTINGS }: ClusterSnapshot,
  daemonSets: readonly DaemonSet[],
): readonly DaemonSet[] {
  if (!settings.ignoreDraRequests || !daemonSets.some(claimsDevices)) return daemonSets;
  const others = withoutClaims.get(daemonSets) ?? daemonSets.filter((one) => !claimsDevices(one));
  withoutClaims.set(daemonSets, others);
  return others;
}

const claimsDevices = ({ template }: DaemonSet): boolean =>
  template.spec.deviceClaims !== undefined;
