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
  /** When the status last changed; `undefined` if it was not recorded. */
  readonly since?: EpochMs;
}

/**
 * A NodeClaim object in the cluster. We, a user or the previous owner (Karpenter) may have written
 * it. The record in the table is the truth; only deletion requests, annotations and claims without
 * a record flow back from the object.
 */
export interface NodeClaimObject {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: EpochMs;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  /** When its deletion was requested. */
  readonly deletionAt?: EpochMs;
  /** When the drain gives way to deletion, as a user or the previous owner has written it. */
  readonly deadline?: EpochMs;
  readonly nodeClass: NodeClassRef;
  readonly requirements: readonly RequirementSpec[];
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  readonly requests: Resources;
  /** `undefined` means never. */
  readonly expireAfterMs?: number;
  readonly terminationGracePeriodMs?: number;
  /** The status starts here. Its fields are `undefined` until a controller has written them. */
  readonly providerId?: string;
  readonly nodeName?: string;
  readonly imageId?: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly lastPodEventAt?: EpochMs;
  readonly conditions: readonly ObjectCondition[];
}
