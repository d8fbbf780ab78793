import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { UnavailableOffering } from '../../../shared/model/offerings/instance-type.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { aPool, tiny } from '../support/fixture.ts';

/** A user's question why a pod is pending. */
export interface ExplanationCase {
  readonly title: string;
  readonly cluster: ClusterSnapshot;
  readonly pods: readonly Pod[];
  /**
   * The number of pending pods, the reasons of each NodePool and of the closest node, and the fix.
   */
  readonly says: readonly string[];
}

export const general = aPool({ name: 'general' });
/** A pod of a Deployment. */
export const aWebPod = (over = {}) => ({
  ...tiny('web-7c9-x', over, { app: 'web', 'pod-template-hash': '7c9' }),
  owner: { kind: 'ReplicaSet', name: 'web-7c9', uid: 'rs' },
});
/** An offering that EC2 reported as unavailable. */
export const unavailable = (over: Partial<UnavailableOffering>): UnavailableOffering => ({
  ...over,
  until: NOON + 2 * MINUTE_MS,
});
