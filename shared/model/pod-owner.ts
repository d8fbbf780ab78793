import type { Resources } from './resources.ts';

/** What keeps a number of equal pods alive. */
export interface PodOwner {
  readonly kind: 'ReplicaSet' | 'Job' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Pods that it wants to have at a time. */
  readonly wants: number;
  /** `one-by-one`: each when the one before is ready. */
  readonly creates: 'at-once' | 'one-by-one';
  /** It says that pods could not be created, or that they fail. */
  readonly isFailing: boolean;
}

/** What a namespace may still ask for under one of its ResourceQuotas. */
export interface QuotaRoom {
  readonly namespace: string;
  readonly name: string;
  /** By the names that pods request by, `pods` among them; what is absent is not bounded. */
  readonly free: Resources;
  /** It also bounds what is not known of a pod, such as its limits. */
  readonly isPartlyKnown: boolean;
}
