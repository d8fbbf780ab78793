import type { InstanceType, Offering, UnavailableOffering } from './instance-type.ts';
import type { Labels } from './labels.ts';
import type { Node } from './node.ts';
import type { NodeClaim } from './node-claim.ts';
import type { NodePool } from './node-pool.ts';
import type { Pod } from './pod.ts';
import type { EpochMs } from './time.ts';
import type { DaemonSet, PodDisruptionBudget } from './workload.ts';

/** Everything that a decision may look at. Plain data: it can be stored and decided on again. */
export interface ClusterSnapshot {
  readonly takenAt: EpochMs;
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  /** Claims that are not terminated. */
  readonly claims: readonly NodeClaim[];
  readonly pools: readonly NodePool[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** Labels of every namespace by name. */
  readonly namespaces: Readonly<Record<string, Labels>>;
  /** Instance types by NodePool: what its NodeClass can run. Pools of one class share the list. */
  readonly instanceTypes: Readonly<Record<string, readonly InstanceType[]>>;
  readonly offerings: readonly Offering[];
  readonly unavailable: readonly UnavailableOffering[];
  /** Nodes and claims kept free for planned pods, by name, until when. */
  readonly nominations: Readonly<Record<string, EpochMs>>;
}
