import type { UnreadableObject } from '../model/cluster-snapshot.ts';
import type { Node } from '../model/nodes/node.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { EpochMs } from '../model/time.ts';

/** A pod with the time at which it was bound to its node or finished there. */
export interface ObservedPod {
  readonly pod: Pod;
  readonly eventAt?: EpochMs;
}

/** The objects of one kind as of one resourceVersion. */
export interface StoredKind<T> {
  readonly resourceVersion: string;
  /** Each object with its own resourceVersion, sorted by namespace and name. */
  readonly objects: readonly StoredObject<T>[];
  readonly unreadable: readonly StoredObject<UnreadableObject>[];
}

export interface StoredObject<T> {
  readonly version: string;
  readonly value: T;
}

/** The kinds of the cluster that are expensive to list. */
export interface StoredView {
  /** No object is older than this. */
  readonly takenAt: EpochMs;
  readonly pods: StoredKind<ObservedPod>;
  readonly nodes: StoredKind<Node>;
  /** By Node name: when a pod was last bound to it, finished on it or left it. */
  readonly lastPodEventAt: Readonly<Record<string, EpochMs>>;
}

/**
 * The view of the cluster that a function leaves for the next cold start. It saves time only: the API
 * server has all of it, and watches bring a loaded view up to date before anything is decided.
 *
 * No method throws: a view that cannot be stored or loaded costs a list of the API server.
 */
export interface ViewStore {
  /** @returns undefined if there is no view that was taken after `since`, or if it is damaged */
  load(since: EpochMs): Promise<StoredView | undefined>;
  /** Stores the view that `take` returns, unless a process stored one within `minIntervalMs`. */
  save(
    now: EpochMs,
    options: { readonly minIntervalMs: number; readonly take: () => StoredView | undefined },
  ): Promise<void>;
}
