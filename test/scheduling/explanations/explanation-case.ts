import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { UnavailableOffering } from '../../../shared/model/offerings/instance-type.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { aPool, tiny } from '../fixture.ts';

/** What somebody meets who asks why a pod is pending. */
export interface ExplanationCase {
  readonly title: string;
  readonly cluster: ClusterSnapshot;
  readonly pods: readonly Pod[];
  /** How many pods wait, why each pool refuses them, why the closest node does, and what helps. */
  readonly says: readonly string[];
}

export const general = aPool({ name: 'general' });
/** A pod of a Deployment. */
export const web = (over = {}) => ({
  ...tiny('web-7c9-x', over, { app: 'web', 'pod-template-hash': '7c9' }),
  owner: { kind: 'ReplicaSet', name: 'web-7c9', uid: 'rs' },
});
/** What EC2 has just run out of. */
export const dry = (over: Partial<UnavailableOffering>): UnavailableOffering => ({
  ...over,
  until: NOON + 2 * MINUTE_MS,
});
