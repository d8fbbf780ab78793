import { formatEvent } from '../explanations/event-text.ts';
import type { ClusterEvent } from '../explanations/events.ts';
import type { PodKey } from '../pods/pod.ts';
import { type EpochMs, formatInstant } from '../time.ts';
import {
  DETAIL_VERSION,
  MAX_MESSAGE_LENGTH,
  MAX_NAMES,
  type NodeDisruptedDetail,
  type PublishedEvent,
} from './published-event.ts';

type Disruption = Pick<NodeDisruptedDetail, 'reason' | 'cause'> & { readonly deadline?: EpochMs };

/**
 * Translates what happened for systems outside of the cluster: an event for each node that goes, and
 * none for what needs no reaction.
 */
export const toPublishedEvents = (event: ClusterEvent, cluster: string): readonly PublishedEvent[] =>
  isPublished(event) ? translate(event, cluster) : [];

/** `unavailable` is missing: EC2 reports missing capacity also for launches that succeed elsewhere. */
const SOURCES = [
  'launch',
  'remove-empty',
  'remove',
  'replace',
  'replace-drifted',
  'interruption',
  'block-ends',
  'impaired',
  'expired',
  'repair',
  'reboot-failed',
  'node-missing',
  'not-registered',
  'launch-refused',
  'unplaced',
  'pods-not-received',
  'pods-set-aside',
  'capped',
  'rollout-stopped',
] as const satisfies readonly ClusterEvent['kind'][];

type Source = Extract<ClusterEvent, { readonly kind: (typeof SOURCES)[number] }>;

const isPublished = (event: ClusterEvent): event is Source => SOURCES.some((kind) => kind === event.kind);

function translate(event: Source, cluster: string): readonly PublishedEvent[] {
  const { at } = event;
  const facts = {
    version: DETAIL_VERSION,
    cluster,
    at: formatInstant(at),
    message: formatEvent(event).slice(0, MAX_MESSAGE_LENGTH),
  } as const;
  const disrupt = (claims: readonly string[], { reason, cause, deadline }: Disruption): readonly PublishedEvent[] =>
    claims.map((nodeClaim) => ({
      kind: 'NodeDisrupted',
      at,
      detail: {
        ...facts,
        nodeClaim,
        reason,
        ...(cause !== undefined && { cause }),
        ...(deadline !== undefined && { deadline: formatInstant(deadline) }),
      },
    }));

  switch (event.kind) {
    case 'launch': {
      const { claim: nodeClaim, offering, replaces = [] } = event;
      const { instanceType, zone, capacityType, hourlyUsd } = offering;
      const price = { instanceType, zone, capacityType, hourlyUsd };
      const detail = {
        ...{ ...facts, nodeClaim, ...price, ...namePods(event.pods) },
        replaces: replaces.slice(0, MAX_NAMES),
      };
      return [{ kind: 'NodeLaunched', at, detail }];
    }
    case 'remove-empty':
      return disrupt(event.claims, { reason: 'Empty' });
    case 'remove':
    case 'replace':
      return disrupt(event.claims, { reason: 'Underutilized' });
    case 'replace-drifted':
      return disrupt(event.claims, { reason: 'Drifted', cause: event.reason });
    case 'interruption': {
      const cause = event.reserved ? 'capacity_reservation_interrupted' : 'spot_interrupted';
      return disrupt([event.claim], { reason: 'Interrupted', cause, deadline: event.deadline });
    }
    case 'block-ends': {
      const cause = 'capacity_block_expiring';
      return disrupt([event.claim], { reason: 'Interrupted', cause, deadline: event.endsAt });
    }
    case 'impaired':
      return disrupt([event.claim], { reason: 'Interrupted', cause: event.cause });
    case 'expired':
      return disrupt([event.claim], { reason: 'Expired' });
    case 'repair':
      return disrupt([event.claim], { reason: 'Unhealthy', cause: event.condition });
    case 'reboot-failed':
      return disrupt([event.claim], { reason: 'Unhealthy', cause: 'RebootFailed' });
    case 'node-missing':
      return disrupt([event.claim], { reason: 'Unhealthy', cause: 'NodeMissing' });
    case 'not-registered':
      return disrupt([event.claim], { reason: 'RegistrationTimeout' });
    case 'launch-refused': {
      const { claim: nodeClaim, reason } = event;
      return [{ kind: 'LaunchRefused', at, detail: { ...facts, nodeClaim, reason } }];
    }
    case 'unplaced': {
      const detail = { ...facts, ...namePods(event.pods), reason: 'NoNodePoolFits' } as const;
      return [{ kind: 'PodsWaiting', at, detail }];
    }
    case 'pods-not-received': {
      const detail = { ...facts, ...namePods(event.pods), reason: 'NodesNotUsed' } as const;
      return [{ kind: 'PodsWaiting', at, detail }];
    }
    case 'pods-set-aside': {
      const pods = namePods(event.pods, event.podCount);
      const detail = { ...facts, ...pods, reason: 'PlanningFailed' } as const;
      return [{ kind: 'PodsWaiting', at, detail }];
    }
    case 'capped': {
      const { cap, nodes, podCount } = event;
      const detail = { ...facts, ...namePods(event.pods, podCount), nodes };
      return [{ kind: 'CapReached', at, detail: { ...detail, cap: cap.name, limit: cap.limit } }];
    }
    case 'rollout-stopped': {
      const { nodeClass, claim: nodeClaim } = event;
      return [{ kind: 'RolloutStopped', at, detail: { ...facts, nodeClass, nodeClaim } }];
    }
  }
}

const namePods = (pods: readonly PodKey[], podCount = pods.length) => ({
  pods: pods.slice(0, MAX_NAMES),
  podCount,
});
