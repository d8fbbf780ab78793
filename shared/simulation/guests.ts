import type { PodKey } from '../model/pod.ts';
import { podKey } from '../model/pod.ts';
import { isDaemon } from '../model/workload.ts';
import type { ApiServer } from './api-server.ts';
import { isGoing } from './node-writes.ts';
import { isActive } from './pod-store.ts';

/** The pods that nodes are there for; DaemonSet pods left out. */
export interface Guests {
  /** On the instance's node now. */
  now(providerId: string): readonly PodKey[];
  /** On it when it was marked to go: at the very end they have all moved off. */
  whenItWent(providerId: string): readonly PodKey[];
}

export function watchGuests(api: ApiServer): Guests {
  const nodeNames = new Map<string, string>();
  const atParting = new Map<string, readonly PodKey[]>();

  const onNode = (name: string): readonly PodKey[] => {
    const pods = [...api.pods.onNode(name).values()];
    return pods.filter((pod) => isActive(pod) && !isDaemon(pod)).map(podKey);
  };
  api.nodes.watch(({ before, after }) => {
    const providerId = after?.providerId;
    if (!after || providerId === undefined) return;
    nodeNames.set(providerId, after.name);
    if (!isGoing(after)) atParting.delete(providerId);
    else if (!(before && isGoing(before))) atParting.set(providerId, onNode(after.name));
  });

  const now = (providerId: string): readonly PodKey[] => {
    const name = nodeNames.get(providerId);
    return name === undefined ? [] : onNode(name);
  };
  return { now, whenItWent: (providerId) => atParting.get(providerId) ?? now(providerId) };
}
