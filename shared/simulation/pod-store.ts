import type { Pod } from '../model/pod.ts';
import { podKey } from '../model/pod.ts';
import { createObjectIndex } from './object-index.ts';
import type { ObjectStore } from './object-store.ts';
import { createObjectStore } from './object-store.ts';
import type { PodClass, PodClasses } from './pod-class.ts';

/** The pods, with the groups that controllers ask for, so that nobody scans them all. */
export interface PodStore extends ObjectStore<Pod> {
  /** Bound to the node, finished ones included. */
  onNode(node: string): ReadonlyMap<string, Pod>;
  /** Not finished, those that terminate included. */
  ofOwner(uid: string): ReadonlyMap<string, Pod>;
  /** Not bound, not finished, not gated, by class. */
  waiting(): IterableIterator<PodClass>;
  waitingOf(podClass: PodClass): ReadonlyMap<string, Pod>;
}

export const isFinished = ({ phase }: Pod): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Neither finished nor on its way out: what a controller counts as one of its replicas. */
export const isActive = (pod: Pod): boolean => pod.deletionAt === undefined && !isFinished(pod);

const isWaiting = (pod: Pod): boolean =>
  pod.nodeName === undefined && isActive(pod) && pod.spec.schedulingGates.length === 0;

export function createPodStore(classes: PodClasses): PodStore {
  const store = createObjectStore<Pod>();
  const byNode = createObjectIndex<string, Pod>(podKey, (pod) => pod.nodeName);
  const byOwner = createObjectIndex<string, Pod>(podKey, (pod) =>
    isFinished(pod) ? undefined : pod.owner?.uid,
  );
  const waiting = createObjectIndex<PodClass, Pod>(podKey, (pod) =>
    isWaiting(pod) ? classes.of(pod) : undefined,
  );
  // First among the watchers: the groups are true when anybody else hears of a change.
  for (const index of [byNode, byOwner]) store.watch((change) => index.apply(change));
  store.watch((change) => waiting.apply(change));

  return {
    ...store,
    onNode: (node) => byNode.of(node),
    ofOwner: (uid) => byOwner.of(uid),
    waiting: () => waiting.groups(),
    waitingOf: (podClass) => waiting.of(podClass),
  };
}
