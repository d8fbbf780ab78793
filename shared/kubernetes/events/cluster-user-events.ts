import type { KubernetesEvent } from '../../model/explanations/event-kind.ts';
import { findEventKind, formatEvent, severityOf } from '../../model/explanations/event-kinds.ts';
import type { ClusterEvent } from '../../model/explanations/events.ts';
import { claimAndNode, type EventSubject, normal, type UserEvent } from './user-events.ts';

/**
 * The Events for what happened, with Karpenter's reasons, types and objects.
 *
 * @see Karpenter, pkg/controllers/nodeclaim/lifecycle/events.go
 */
export function toUserEvents(event: ClusterEvent): readonly UserEvent[] {
  const usualType = severityOf(event) === 'warn' ? 'Warning' : 'Normal';
  return (findEventKind(event).kubernetes?.(event) ?? []).flatMap((written) => {
    const { reason, type = usualType, note = formatEvent(event), addition, quietMs, about } = written;
    return listSubjects(event, written).map((subject) => ({
      ...normal(reason, subject, addition === undefined ? note : `${note} ${addition}`),
      type,
      ...(quietMs !== undefined && { quietMs }),
      ...(about !== undefined && { about }),
    }));
  });
}

/** The objects of one kind that the event names. */
function listSubjects(event: ClusterEvent, { on, pods }: KubernetesEvent): readonly EventSubject[] {
  const claims = 'claims' in event ? event.claims : 'claim' in event ? [event.claim] : [];
  switch (on) {
    case 'pod': {
      const named = 'pods' in event && typeof event.pods !== 'number' ? event.pods : 'pod' in event ? [event.pod] : [];
      return (pods ?? named).map((pod) => ({ kind: 'Pod', pod }));
    }
    case 'pool': {
      const pools = 'pools' in event ? event.pools : 'pool' in event ? [event.pool ?? []].flat() : [];
      return pools.map((pool) => ({ kind: 'NodePool', pool }));
    }
    case 'class':
      return event.kind === 'class-in-use'
        ? [{ kind: 'EC2NodeClass', nodeClass: event.nodeClass, uid: event.uid }]
        : [];
    case 'claim-and-node':
      return claims.flatMap(claimAndNode);
    case 'claim':
      return claims.map((claim) => ({ kind: 'NodeClaim', claim }));
    case 'node':
      return claims.map((claim) => ({ kind: 'Node', claim }));
  }
}
