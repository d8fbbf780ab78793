import type { EpochMs } from '../../shared/model/time.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import type { Review } from './parse-review.ts';

/** Where to look because of a call. The hooks' own conditions have left out what does not matter. */
export function toHints({ resource, name, providerId }: Review, at: EpochMs): readonly Hint[] {
  switch (resource) {
    // The scheduler found no place for a pod.
    case 'events.events.k8s.io':
      return [{ topic: 'plan' }];
    case 'nodes':
      return isLikely(providerId) ? [nodeChanged(providerId, at)] : [];
    case 'nodeclaims.karpenter.sh':
      return isLikely(name) ? [{ topic: 'claim', claim: name }] : [];
    case 'nodepools.karpenter.sh':
    case 'nodeoverlays.karpenter.sh':
    case 'capacitybuffers.autoscaling.x-k8s.io':
      return [{ topic: 'plan' }, { topic: 'disrupt' }];
    case 'ec2nodeclasses.karpenter.k8s.aws':
      return [{ topic: 'class' }, { topic: 'plan' }, { topic: 'disrupt' }];
    default:
      return [];
  }
}

/** @see kubernetes, names of objects: a DNS subdomain; provider ids are shorter */
const MAX_NAME_LENGTH = 253;

/** What is no name would fail whoever looks it up, again and again until it is given up. */
const isLikely = (name: string | undefined): name is string =>
  name !== undefined && name !== '' && name.length <= MAX_NAME_LENGTH;

const nodeChanged = (providerId: string, at: EpochMs): Hint => ({
  topic: 'interruption',
  notice: { kind: 'state-change', providerId, at },
});
