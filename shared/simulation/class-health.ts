import type { Pod } from '../model/pod.ts';
import type { ApiServer } from './api-server.ts';
import type { PodClass } from './pod-class.ts';
import { isFinished } from './pod-store.ts';

/** What disruption budgets count, over the pods of one class that are not finished. */
export interface ClassHealth {
  readonly pods: number;
  /** Ready, and not on their way out. */
  readonly healthy: number;
  /** Pods by the uid of their owner; '' has none. */
  readonly owners: ReadonlyMap<string, number>;
}

interface Counts extends ClassHealth {
  pods: number;
  healthy: number;
  readonly owners: Map<string, number>;
}

/** Kept true change by change, so that a status costs as much as there are templates, not pods. */
export function watchClassHealth({ pods, classes }: ApiServer): ReadonlyMap<PodClass, ClassHealth> {
  const health = new Map<PodClass, Counts>();

  function count(pod: Pod | undefined, times: 1 | -1): void {
    if (!pod || isFinished(pod)) return;
    const podClass = classes.of(pod);
    const counts = health.get(podClass) ?? { pods: 0, healthy: 0, owners: new Map() };
    counts.pods += times;
    if (pod.ready && pod.deletionAt === undefined) counts.healthy += times;
    countOwner(counts.owners, pod.owner?.uid ?? '', times);
    if (counts.pods === 0) health.delete(podClass);
    else health.set(podClass, counts);
  }

  for (const pod of pods.list()) count(pod, 1);
  pods.watch(({ before, after }) => {
    count(before, -1);
    count(after, 1);
  });
  return health;
}

function countOwner(owners: Map<string, number>, uid: string, times: number): void {
  const pods = (owners.get(uid) ?? 0) + times;
  if (pods === 0) owners.delete(uid);
  else owners.set(uid, pods);
}
