import { formatEvent } from '../../model/explanations/event-text.ts';
import type { ClusterEvent } from '../../model/explanations/events.ts';
import type { PodKey } from '../../model/pods/pod.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { EventReason } from './event-reasons.ts';
import {
  normal,
  onClaimAndNode,
  STAYING_NODE_QUIET_MS,
  toClaimSubject,
  toNodeClassReason,
  toPoolSubject,
  type UserEvent,
  warning,
} from './user-events.ts';

const PENDING_QUIET_MS = 5 * MINUTE_MS;

/**
 * The Events for what happened, with Karpenter's reasons, types and objects.
 *
 * @see Karpenter, pkg/controllers/nodeclaim/lifecycle/events.go
 */
export const toUserEvents = (event: ClusterEvent): readonly UserEvent[] =>
  isReported(event) ? describeEvent(event) : [];

/** Other kinds are visible on the objects themselves or concern no object. */
const REPORTED_KINDS = [
  'launch',
  'placed',
  'unplaced',
  'unavailable',
  'unguarded',
  'inconsistent',
  'interruption',
  'rebalance',
  'impaired',
  'block-ends',
  'draining',
  'volumes-attached',
  'evicted',
  'pod-deleted',
  'owner-restarted',
  'replacement-requested',
  'consolidation-dropped',
  'move-back-prevented',
  'class-in-use',
  'class-not-ready',
  'eviction-refused',
  'eviction-failed',
  'drain-stuck',
  'expired',
  'not-registered',
  'node-missing',
  'repair',
  'repair-blocked',
  'repair-waits',
  'reboot-requested',
  'rebooted',
  'reboot-failed',
  'remove-empty',
  'remove',
  'replace',
  'replace-drifted',
  'drifted',
  'capped',
  'pods-not-received',
  'pods-set-aside',
  'node-set-aside',
  'planning-paused',
  'zonal-shift-active',
  'zonal-shift-cleared',
] as const satisfies readonly ClusterEvent['kind'][];

type EventOf<K extends ClusterEvent['kind']> = Extract<ClusterEvent, { readonly kind: K }>;
type ReportedEvent = Extract<ClusterEvent, { readonly kind: (typeof REPORTED_KINDS)[number] }>;

const isReported = (event: ClusterEvent): event is ReportedEvent => REPORTED_KINDS.some((kind) => kind === event.kind);

const IMPAIRMENT_REASONS: Partial<Record<EventOf<'impaired'>['cause'], EventReason>> = {
  instance_stopped: 'InstanceStopping',
  instance_terminated: 'InstanceTerminating',
};

/** The text names the NodeClaim; kubectl lists the pods of a Node. */
const withNode = (event: Extract<ReportedEvent, { readonly node: string }>): string =>
  `${formatEvent(event)} Its Node is ${event.node}.`;

function describeEvent(event: ReportedEvent): readonly UserEvent[] {
  switch (event.kind) {
    case 'launch':
      return event.pods.map((pod) => toNomination(pod, `NodeClaim ${event.claim}`));
    case 'placed':
      return event.pods.map((pod) => toNomination(pod, event.targets.join(' or ')));
    case 'unplaced':
      return event.pods.map((pod) => ({
        ...warning('FailedScheduling', { kind: 'Pod', pod }, event.text),
        quietMs: PENDING_QUIET_MS,
      }));
    case 'capped':
      return [
        ...event.pods.map((pod) => warning('LaunchesCapped', { kind: 'Pod', pod }, formatEvent(event))),
        ...event.claims.map((claim) => warning('LaunchesCapped', toClaimSubject({ claim }), formatEvent(event))),
      ];
    case 'pods-not-received':
      return [
        warning('PodsNotReceived', toPoolSubject(event), formatEvent(event)),
        ...event.pods.map((pod) => warning('PodsNotReceived', { kind: 'Pod', pod }, formatEvent(event))),
      ];
    case 'pods-set-aside':
      return event.pods.map((pod) => warning('PlanningFailed', { kind: 'Pod', pod }, formatEvent(event)));
    case 'node-set-aside':
      return onClaimAndNode(event, (subject) => [warning('PlanningFailed', subject, formatEvent(event))]);
    case 'planning-paused':
      return event.pools.map((pool) => warning('PlanningFailed', toPoolSubject({ pool }), formatEvent(event)));
    case 'unavailable':
      return [warning('InsufficientCapacityError', toClaimSubject(event), formatEvent(event))];
    case 'node-missing':
      return [warning('NodeMissing', toClaimSubject(event), formatEvent(event))];
    case 'unguarded':
      return [warning('UnregisteredTaintMissing', toClaimSubject(event), formatEvent(event))];
    case 'inconsistent':
      return [warning('FailedConsistencyCheck', toClaimSubject(event), formatEvent(event))];
    case 'interruption':
      return onClaimAndNode(event, (subject) => [
        warning(
          event.reserved ? 'CapacityReservationInstanceInterrupted' : 'SpotInterrupted',
          subject,
          formatEvent(event),
        ),
        warning('TerminatingOnInterruption', subject, 'Its pods leave before EC2 takes it back.'),
      ]);
    case 'impaired':
      return onClaimAndNode(event, (subject) => [
        warning(IMPAIRMENT_REASONS[event.cause] ?? 'InstanceUnhealthy', subject, formatEvent(event)),
        warning('TerminatingOnInterruption', subject, 'Its pods are moved to other nodes.'),
      ]);
    case 'block-ends':
      return onClaimAndNode(event, (subject) => [warning('TerminatingOnInterruption', subject, formatEvent(event))]);
    case 'rebalance':
      return onClaimAndNode(event, (subject) => [normal('SpotRebalanceRecommendation', subject, formatEvent(event))]);
    case 'draining':
      return event.deadline === undefined
        ? []
        : onClaimAndNode(event, (subject) => [warning('TerminationGracePeriodExpiring', subject, formatEvent(event))]);
    case 'volumes-attached':
      return [normal('AwaitingVolumeDetachment', { kind: 'Node', claim: event.claim }, formatEvent(event))];
    case 'evicted':
      return [normal('Evicted', { kind: 'Pod', pod: event.pod }, withNode(event))];
    case 'pod-deleted':
      return [normal('Disrupted', { kind: 'Pod', pod: event.pod }, withNode(event))];
    case 'owner-restarted': {
      const subject = { kind: 'Pod', pod: event.pod } as const;
      return [
        event.why === undefined
          ? normal('DeploymentRestarted', subject, formatEvent(event))
          : warning('DeploymentNotRestarted', subject, formatEvent(event)),
      ];
    }
    case 'replacement-requested':
      return [
        normal('DisruptionLaunching', toClaimSubject(event), formatEvent(event)),
        normal('DisruptionWaitingReadiness', toClaimSubject(event), formatEvent(event)),
      ];
    case 'class-in-use':
      return [
        normal(
          'WaitingOnNodeClaimTermination',
          { kind: 'EC2NodeClass', nodeClass: event.nodeClass, uid: event.uid },
          formatEvent(event),
        ),
      ];
    case 'class-not-ready':
      return [warning(toNodeClassReason(event.reason), toClaimSubject(event), formatEvent(event))];
    case 'consolidation-dropped':
      return event.claims.flatMap((claim) =>
        onClaimAndNode({ claim }, (subject) => [normal('ConsolidationRejected', subject, formatEvent(event))]),
      );
    case 'move-back-prevented':
      return onClaimAndNode(event, (subject) => [
        {
          ...warning('MoveBackPrevented', subject, formatEvent(event)),
          quietMs: STAYING_NODE_QUIET_MS,
        },
      ]);
    case 'eviction-refused':
    case 'eviction-failed':
      return [warning('FailedDraining', { kind: 'Pod', pod: event.pod }, formatEvent(event))];
    case 'drain-stuck':
      return explainStuckDrain(event);
    case 'repair-blocked':
      return onClaimAndNode(event, (subject) => [
        {
          ...warning('NodeRepairBlocked', subject, formatEvent(event)),
          quietMs: STAYING_NODE_QUIET_MS,
        },
      ]);
    case 'repair-waits':
      return onClaimAndNode(event, (subject) => [
        {
          ...normal('DisruptionBlocked', subject, formatEvent(event)),
          quietMs: STAYING_NODE_QUIET_MS,
        },
      ]);
    case 'rebooted':
      return [normal('RebootObserved', toClaimSubject(event), formatEvent(event))];
    case 'reboot-failed':
      return [warning('RebootFailed', toClaimSubject(event), formatEvent(event))];
    case 'repair':
    case 'reboot-requested':
    case 'expired':
    case 'not-registered':
      return onClaimAndNode(event, (subject) => [normal('DisruptionTerminating', subject, formatEvent(event))]);
    case 'zonal-shift-active':
      return [
        {
          ...warning('ZonalShiftActive', toPoolSubject(event), formatEvent(event)),
          about: event.zone,
        },
      ];
    case 'zonal-shift-cleared':
      return [
        {
          ...normal('ZonalShiftCleared', toPoolSubject(event), formatEvent(event)),
          about: event.zone,
        },
      ];
    case 'drifted':
      return onClaimAndNode(event, (subject) => [normal('Drifted', subject, formatEvent(event))]);
    case 'replace-drifted':
    case 'remove-empty':
    case 'remove':
    case 'replace':
      return event.claims.flatMap((claim) =>
        onClaimAndNode({ claim }, (subject) => [
          ...('balanced' in event ? [normal('ConsolidationApproved', subject, formatEvent(event))] : []),
          normal('DisruptionTerminating', subject, formatEvent(event)),
        ]),
      );
  }
}

/** The Node's Event names every blocker, a pod's Event only its own. */
const explainStuckDrain = (event: EventOf<'drain-stuck'>): readonly UserEvent[] => [
  ...onClaimAndNode(event, (subject) => [warning('FailedDraining', subject, formatEvent(event))]),
  ...event.blockers
    .slice(0, MAX_BLOCKED_PODS)
    .map(({ pod, why, remedy }) =>
      warning('FailedDraining', { kind: 'Pod', pod }, `${event.claim} is drained and waits for it: ${why}; ${remedy}.`),
    ),
];

/** A larger number of equal Events helps no user. */
const MAX_BLOCKED_PODS = 10;

const toNomination = (pod: PodKey, target: string): UserEvent =>
  normal('Nominated', { kind: 'Pod', pod }, `Should be scheduled on ${target}`);
