import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Pod } from '../../model/pod.ts';
import { type DaemonSet, isDaemon } from '../../model/workload.ts';
import { USUAL_SETTINGS } from '../../model/settings.ts';

/**
 * DaemonSets as their newest pods are: a LimitRange or a webhook changes what pods request, not the
 * template. Where they run stays the template's to say, for the controller pins each pod to a node.
 */
export function withLiveRequests(snapshot: ClusterSnapshot): ClusterSnapshot {
  const newest = newestByDaemonSet(snapshot.pods);
  if (newest.size === 0) return snapshot;
  const live = snapshot.daemonSets.map((one) => newest.get(keyOf(one)));
  const known = updated.get(snapshot.daemonSets);
  if (known?.live.every((pod, index) => pod?.spec === live[index]?.spec)) {
    return { ...snapshot, daemonSets: known.daemonSets };
  }
  const daemonSets = snapshot.daemonSets.map((one, index) => withRequestsOf(one, live[index]));
  updated.set(snapshot.daemonSets, { live, daemonSets });
  return { ...snapshot, daemonSets };
}

// What is made ready for a decision is kept for the next one, as long as the list is the same.
const updated = new WeakMap<
  readonly DaemonSet[],
  { readonly live: readonly (Pod | undefined)[]; readonly daemonSets: readonly DaemonSet[] }
>();

const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
  `${namespace}/${name}`;

function newestByDaemonSet(pods: readonly Pod[]): Map<string, Pod> {
  const newest = new Map<string, Pod>();
  for (const pod of pods) {
    if (!pod.owner || !isDaemon({ owner: pod.owner })) continue;
    const key = keyOf({ namespace: pod.namespace, name: pod.owner.name });
    const other = newest.get(key);
    if (!other || pod.createdAt > other.createdAt) newest.set(key, pod);
  }
  return newest;
}

function withRequestsOf(daemonSet: DaemonSet, pod: Pod | undefined): DaemonSet {
  if (!pod) return daemonSet;
  const { requests, hostPorts } = pod.spec;
  const { template } = daemonSet;
  return {
    ...daemonSet,
    template: { ...template, spec: { ...template.spec, requests, hostPorts } },
  };
}

// What is worked out for a list of DaemonSets is kept by the list.
const counted = new WeakMap<readonly DaemonSet[], readonly DaemonSet[]>();

/** Without DaemonSets that claim devices, where such claims are ignored: no room is kept for them. */
export function withCountedDaemons(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { daemonSets, settings = USUAL_SETTINGS } = snapshot;
  if (!settings.ignoreDraRequests || !daemonSets.some(claimsDevices)) return snapshot;
  const others = counted.get(daemonSets) ?? daemonSets.filter((one) => !claimsDevices(one));
  counted.set(daemonSets, others);
  return { ...snapshot, daemonSets: others };
}

const claimsDevices = ({ template }: DaemonSet): boolean =>
  template.spec.deviceClaims !== undefined;
