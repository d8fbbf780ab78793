/**
 * Limits of the work of one plan, in operations of the `WorkMeter`. A plan within them ends in 30 s
 * on the smallest Lambda function that plans; plans of ordinary clusters take a hundredth.
 */
export interface WorkLimits {
  /** One attempt to plan a batch. If it is exceeded, a smaller batch is planned. */
  readonly attempt: number;
  /** The existing nodes and topology domains of one pod class. */
  readonly podClass: number;
  /** Another order of choosing domains, or another relaxation of whole classes. */
  readonly variant: number;
  /** One way to pack the pod groups. */
  readonly packing: number;
  /** The simulation of Karpenter and of kube-scheduler. */
  readonly simulation: number;
  /** The reasons of one pod class, by NodePool and by node. */
  readonly explanation: number;
  /** All fixes that are tried for unplaced pods. */
  readonly fixes: number;
  /** The lower bound of the price. */
  readonly bound: number;
  /** The prices of pods in all pools between which they can choose. */
  readonly steering: number;
  /** In a disruption plan: the places that waiting pods are about to take. */
  readonly waitingPods: number;
  /** In a disruption plan: the simulation of one removal, and of all removals together. */
  readonly removal: number;
  readonly allRemovals: number;
  /** The replacements of all drifted nodes; consolidation gets the rest of `allRemovals`. */
  readonly allReplacements: number;
}

export const WORK_LIMITS: WorkLimits = {
  attempt: 40_000_000,
  podClass: 4_000_000,
  variant: 15_000_000,
  packing: 15_000_000,
  simulation: 20_000_000,
  explanation: 1_000_000,
  fixes: 5_000_000,
  bound: 5_000_000,
  steering: 5_000_000,
  waitingPods: 20_000_000,
  removal: 20_000_000,
  allRemovals: 400_000_000,
  allReplacements: 200_000_000,
};
