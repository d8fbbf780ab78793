import type { EpochMs } from '../../shared/model/time.ts';
import type { TopicsOf } from '../../shared/ports/hint-senders.ts';
import type { HintOf } from '../../shared/ports/work-queue.ts';
import type { Review } from './parse-review.ts';

/** Changes of Nodes are notices in the queue of claims. */
export type IntakeHint = HintOf<TopicsOf<'eventIntake'> | 'interruption'>;

/**
 * Names the objects that a call is about. The webhooks' CEL conditions have already dropped
 * irrelevant calls.
 */
export function toHints({ resource, name, providerId }: Review, at: EpochMs): readonly IntakeHint[] {
  switch (resource) {
    // kube-scheduler reported FailedScheduling for a pod.
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

/**
 * A name that Kubernetes cannot have would make the lookup fail until the message reaches the
 * dead-letter queue.
 */
const isLikely = (name: string | undefined): name is string =>
  name !== undefined && name !== '' && name.length <= MAX_NAME_LENGTH;

const nodeChanged = (providerId: string, at: EpochMs): IntakeHint => ({
  topic: 'interruption',
  notice: { kind: 'state-change', providerId, at },
});
