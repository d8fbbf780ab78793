import type { Labels } from '../../model/labels.ts';
import { isAwaitingNode, isTerminal } from '../../model/pods/disruption-pods.ts';
import { findOwnerLabels } from '../../model/pods/owner-selector.ts';
import { type Pod, type PodSpec, podKey } from '../../model/pods/pod.ts';
import { createObjectIndex, createSimObjectStore, type SimObjectStore } from './object-store.ts';

/** Pods with the same namespace and template: scheduling treats them alike. */
export interface SimPodClass {
  /** In order of first use. */
  readonly id: number;
  readonly namespace: string;
  readonly labels: Labels;
  /** The labels by which the pods spread by default; empty if they do not. */
  readonly ownerLabels: Labels;
  readonly spec: PodSpec;
}

/** Finds classes by the identity of the template's spec and labels, which its pods share. */
export interface SimPodClasses {
  of(pod: Pod): SimPodClass;
}

export function createSimPodClasses(): SimPodClasses {
  const bySpec = new WeakMap<PodSpec, SimPodClass[]>();
  let count = 0;

  return {
    of(pod) {
      const { spec, labels, namespace } = pod;
      const sameSpec = bySpec.get(spec) ?? [];
      const existing = sameSpec.find((candidate) => candidate.labels === labels && candidate.namespace === namespace);
      if (existing) return existing;

      const ownerLabels = findOwnerLabels(pod);
      const created: SimPodClass = { id: count++, namespace, labels, ownerLabels, spec };
      bySpec.set(spec, [...sameSpec, created]);
      return created;
    },
  };
}

/** The pods, indexed by what controllers query, so that no query scans all pods. */
export interface PodStore extends SimObjectStore<Pod> {
  /** Pods bound to the node, finished ones included. */
  onNode(node: string): ReadonlyMap<string, Pod>;
  /** Unfinished pods of an owner, terminating ones included. */
  ofOwner(uid: string): ReadonlyMap<string, Pod>;
  /** Classes with pods that are unbound, active and not gated. */
  waiting(): IterableIterator<SimPodClass>;
  waitingOf(podClass: SimPodClass): ReadonlyMap<string, Pod>;
}

const isWaiting = (pod: Pod): boolean => isAwaitingNode(pod) && pod.spec.schedulingGates.length === 0;

export function createPodStore(classes: SimPodClasses): PodStore {
  const store = createSimObjectStore<Pod>();
  const byNode = createObjectIndex<string, Pod>(podKey, (pod) => pod.nodeName);
  const byOwner = createObjectIndex<string, Pod>(podKey, (pod) => (isTerminal(pod) ? undefined : pod.owner?.uid));
  const waiting = createObjectIndex<SimPodClass, Pod>(podKey, (pod) => (isWaiting(pod) ? classes.of(pod) : undefined));
  // The indexes must be the first watchers, so that later watchers see them updated.
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
