import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { USUAL_SETTINGS } from '../../model/settings.ts';
import type { DaemonSet } from '../../model/workload.ts';

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
