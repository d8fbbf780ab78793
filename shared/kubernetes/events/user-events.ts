import { formatEvent } from '../../model/explanations/event-text.ts';
import type { ClusterEvent } from '../../model/explanations/events.ts';
import { formatReason, type ReasonCode } from '../../model/explanations/reasons.ts';
import { NODE_CLASS_NOT_FOUND } from '../../model/nodes/node-class.ts';
import type { DisruptionPlan, NodeVerdict, PoolRefusal } from '../../model/plans.ts';
import type { PodKey } from '../../model/pods/pod.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { Decision } from '../../ports/decision-log.ts';

/**
 * The object of an Event: a pod, a NodeClaim, the Node of that claim, a NodePool or an EC2NodeClass.
 */
export type EventSubject =
  | { readonly kind: 'Pod'; readonly pod: PodKey }
  | { readonly kind: 'NodePool'; readonly pool: string }
  | { readonly kind: 'EC2NodeClass'; readonly nodeClass: string; readonly uid: string }
  | { readonly kind: 'NodeClaim' | 'Node'; readonly claim: string };

/** An Event for users, as `kubectl describe` and `kubectl get events` show it. */
export interface UserEvent {
  /** Karpenter's reason, if Karpenter has such an Event. */
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  readonly subject: EventSubject;
  readonly note: string;
  /**
   * An Event with the same reason and object is suppressed for this long, even if its note differs.
   */
  readonly quietMs: number;
  /** Tells apart Events with the same reason and object; `undefined` if there is only one. */
  readonly about?: string;
}

const QUIET_MS = 2 * MINUTE_MS;
const PENDING_QUIET_MS = 5 * MINUTE_MS;
const STAYING_NODE_QUIET_MS = 15 * MINUTE_MS;

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
  'remove-empty',
  'remove',
  'replace',
  'replace-drifted',
  'drifted',
  'capped',
  'pods-not-received',
  'zonal-shift-active',
  'zonal-shift-cleared',
] as const satisfies readonly ClusterEvent['kind'][];

type EventOf<K extends ClusterEvent['kind']> = Extract<ClusterEvent, { readonly kind: K }>;
type ReportedEvent = Extract<ClusterEvent, { readonly kind: (typeof REPORTED_KINDS)[number] }>;

const isReported = (event: ClusterEvent): event is ReportedEvent =>
  REPORTED_KINDS.some((kind) => kind === event.kind);

const IMPAIRMENT_REASONS: Partial<Record<EventOf<'impaired'>['cause'], string>> = {
  instance_stopped: 'InstanceStopping',
  instance_terminated: 'InstanceTerminating',
};

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
        ...event.pods.map((pod) =>
          warning('LaunchesCapped', { kind: 'Pod', pod }, formatEvent(event)),
        ),
        ...event.claims.map((claim) =>
          warning('LaunchesCapped', toClaimSubject({ claim }), formatEvent(event)),
        ),
      ];
    case 'pods-not-received':
      return [
        warning('PodsNotReceived', toPoolSubject(event), formatEvent(event)),
        ...event.pods.map((pod) =>
          warning('PodsNotReceived', { kind: 'Pod', pod }, formatEvent(event)),
        ),
      ];
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
        warning(
          IMPAIRMENT_REASONS[event.cause] ?? 'InstanceUnhealthy',
          subject,
          formatEvent(event),
        ),
        warning('TerminatingOnInterruption', subject, 'Its pods are moved to other nodes.'),
      ]);
    case 'block-ends':
      return onClaimAndNode(event, (subject) => [
        warning('TerminatingOnInterruption', subject, formatEvent(event)),
      ]);
    case 'rebalance':
      return onClaimAndNode(event, (subject) => [
        normal('SpotRebalanceRecommendation', subject, formatEvent(event)),
      ]);
    case 'draining':
      return event.deadline === undefined
        ? []
        : onClaimAndNode(event, (subject) => [
            warning('TerminationGracePeriodExpiring', subject, formatEvent(event)),
          ]);
    case 'volumes-attached':
      return [
        normal(
          'AwaitingVolumeDetachment',
          { kind: 'Node', claim: event.claim },
          formatEvent(event),
        ),
      ];
    case 'evicted':
      return [normal('Evicted', { kind: 'Pod', pod: event.pod }, formatEvent(event))];
    case 'pod-deleted':
      return [normal('Disrupted', { kind: 'Pod', pod: event.pod }, formatEvent(event))];
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
        onClaimAndNode({ claim }, (subject) => [
          normal('ConsolidationRejected', subject, formatEvent(event)),
        ]),
      );
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
    case 'repair':
    case 'expired':
    case 'not-registered':
      return onClaimAndNode(event, (subject) => [
        normal('DisruptionTerminating', subject, formatEvent(event)),
      ]);
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
          ...('balanced' in event
            ? [normal('ConsolidationApproved', subject, formatEvent(event))]
            : []),
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
      warning(
        'FailedDraining',
        { kind: 'Pod', pod },
        `${event.claim} is drained and waits for it: ${why}; ${remedy}.`,
      ),
    ),
];

/** A larger number of equal Events helps no user. */
const MAX_BLOCKED_PODS = 10;

/**
 * Events that explain why nodes stay, which nodes may be consolidated, and which NodePools cannot
 * launch.
 */
export const toDecisionEvents = (decision: Decision): readonly UserEvent[] =>
  decision.kind === 'disruption'
    ? [
        ...decision.plan.verdicts.flatMap(explainBlockedPool),
        ...decision.plan.verdicts.flatMap(explainStayingNode),
        ...listConsolidationCandidates(decision.plan),
      ]
    : decision.plan.unplaced.flatMap(({ pools }) => pools.flatMap(explainUnusablePool));

/** A budget that allows nothing holds back every node of its pool. */
function explainBlockedPool({ reason }: NodeVerdict): readonly UserEvent[] {
  const { pool, allowed, reason: about } = reason.fields;
  if (reason.code !== 'budget-exhausted' || pool === undefined || allowed !== '0') return [];
  const blocked = normal('DisruptionBlocked', toPoolSubject({ pool }), formatReason(reason));
  return [{ ...blocked, quietMs: MINUTE_MS, ...(about === undefined ? {} : { about }) }];
}

const listConsolidationCandidates = ({
  command,
  verdicts,
}: DisruptionPlan): readonly UserEvent[] =>
  command?.reason === 'Underutilized'
    ? verdicts
        .filter(({ outcome }) => outcome === 'goes')
        .flatMap(({ claim, reason }) =>
          onClaimAndNode({ claim }, (subject) => [
            normal('ConsolidationCandidate', subject, formatReason(reason)),
          ]),
        )
    : [];

const toNodeClassReason = (condition: string | undefined): string =>
  condition === NODE_CLASS_NOT_FOUND ? NODE_CLASS_NOT_FOUND : 'NodeClassNotReady';

/** Karpenter's text, on which alerts may match; the pod's reason names the key and the numbers. */
const MIN_VALUES_NOTE =
  'NodePool requirements filtered out all compatible available instance types due to minValues incompatibility';

function explainUnusablePool({ pool, reasons }: PoolRefusal): readonly UserEvent[] {
  const subject = toPoolSubject({ pool });
  return reasons.flatMap((reason) => {
    const note = formatReason(reason);
    const { condition } = reason.fields;
    if (reason.code === 'pool-has-no-types') {
      return [{ ...warning('NoCompatibleInstanceTypes', subject, note), quietMs: MINUTE_MS }];
    }
    // Without the field, the NodePool has types, but not for this pod.
    if (reason.code === 'min-values-unmet' && reason.fields.ofPool !== undefined) {
      return [
        {
          ...warning('NoCompatibleInstanceTypes', subject, MIN_VALUES_NOTE),
          quietMs: MINUTE_MS,
        },
      ];
    }
    if (reason.code !== 'pool-not-ready' || condition === 'ValidationSucceeded') return [];
    return [warning(toNodeClassReason(condition), subject, note)];
  });
}

const REASONS_TO_STAY: Partial<Record<ReasonCode, 'DisruptionBlocked' | 'Unconsolidatable'>> = {
  'blocked-by-pdb': 'DisruptionBlocked',
  'blocked-by-do-not-disrupt': 'DisruptionBlocked',
  'budget-exhausted': 'DisruptionBlocked',
  'drift-rests': 'DisruptionBlocked',
  'static-at-limit': 'DisruptionBlocked',
  'static-too-large': 'DisruptionBlocked',
  'rollout-on-trial': 'DisruptionBlocked',
  'rollout-shaken': 'DisruptionBlocked',
  'rollout-stopped': 'DisruptionBlocked',
  'pods-do-not-fit': 'Unconsolidatable',
  'depends-on-order': 'Unconsolidatable',
  'no-cheaper-replacement': 'Unconsolidatable',
  'spot-diversity': 'Unconsolidatable',
  'spot-to-spot-disabled': 'Unconsolidatable',
};

function explainStayingNode({ claim, outcome, reason }: NodeVerdict): readonly UserEvent[] {
  const named = outcome === 'stays' ? REASONS_TO_STAY[reason.code] : undefined;
  if (!named) return [];
  return onClaimAndNode({ claim }, (subject) => [
    { ...normal(named, subject, formatReason(reason)), quietMs: STAYING_NODE_QUIET_MS },
  ]);
}

const normal = (reason: string, subject: EventSubject, note: string): UserEvent => ({
  reason,
  type: 'Normal',
  subject,
  note,
  quietMs: QUIET_MS,
});

const warning = (reason: string, subject: EventSubject, note: string): UserEvent => ({
  ...normal(reason, subject, note),
  type: 'Warning',
});

const toNomination = (pod: PodKey, target: string): UserEvent =>
  normal('Nominated', { kind: 'Pod', pod }, `Should be scheduled on ${target}`);

const toClaimSubject = ({ claim }: { readonly claim: string }): EventSubject => ({
  kind: 'NodeClaim',
  claim,
});

const toPoolSubject = ({ pool }: { readonly pool: string }): EventSubject => ({
  kind: 'NodePool',
  pool,
});

/** Users look at the Node, tools at the NodeClaim. */
const onClaimAndNode = (
  { claim }: { readonly claim: string },
  toEvents: (subject: EventSubject) => readonly UserEvent[],
): readonly UserEvent[] => [
  ...toEvents({ kind: 'NodeClaim', claim }),
  ...toEvents({ kind: 'Node', claim }),
];
