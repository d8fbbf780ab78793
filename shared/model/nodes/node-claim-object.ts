import type { Labels } from '../labels.ts';
import type { OwnerReference } from '../pods/pod.ts';
import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { Taint } from '../requirements/taints.ts';
import type { Resources } from '../resources.ts';
import type { EpochMs } from '../time.ts';
import type { NodeClassRef } from './node-pool.ts';

export interface ObjectCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Of its status; absent where nobody wrote it down. */
  readonly since?: EpochMs;
}

/**
 * A NodeClaim as the cluster has it: written by us, by a person, or by whoever owned the cluster
 * before. The record is the truth; what flows back from here is a wish to delete, annotations, and
 * claims that have no record yet.
 */
export interface NodeClaimObject {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: EpochMs;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  /** When somebody asked for its deletion. */
  readonly deletionAt?: EpochMs;
  /** When draining is to turn into deletion, written by a person or by who owned the cluster before. */
  readonly deadline?: EpochMs;
  readonly nodeClass: NodeClassRef;
  readonly requirements: readonly RequirementSpec[];
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  readonly requests: Resources;
  /** Absent: never. */
  readonly expireAfterMs?: number;
  readonly terminationGracePeriodMs?: number;
  /** From here on its status: absent until somebody has seen to it. */
  readonly providerId?: string;
  readonly nodeName?: string;
  readonly imageId?: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly lastPodEventAt?: EpochMs;
  readonly conditions: readonly ObjectCondition[];
}
