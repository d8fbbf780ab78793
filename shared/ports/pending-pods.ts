/** The pods that kube-scheduler found no place for, seen from far. */
export interface PendingPods {
  /** A short text that differs if other pods wait; empty if none do. */
  waiting(): Promise<string>;
}
