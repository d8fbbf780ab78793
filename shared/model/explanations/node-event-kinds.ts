import { formatDuration } from '../duration.ts';
import type { RemovalReason } from '../nodes/node-claim.ts';
import { NODE_CLASS_NOT_FOUND } from '../nodes/node-class.ts';
import { disrupted, MAX_NAMES, namePods } from '../published-events/published-event.ts';
import { MINUTE_MS } from '../time.ts';
import { always, type EventKinds, type EventOf, on } from './event-kind.ts';
import type { EventReason } from './event-reasons.ts';
import { formatLaunch } from './launch-text.ts';
import { formatClock, formatCount, formatNames, formatToSecond, toSentence } from './phrases.ts';

/** For Events that tell why a node stays: the reason changes slowly. */
export const STAYING_NODE_QUIET_MS = 15 * MINUTE_MS;

/** A larger number of equal Events helps no user. */
const MAX_BLOCKED_PODS = 10;

const REMOVALS: Readonly<Record<RemovalReason, string>> = {
  Underutilized: 'its node is consolidated',
  Empty: 'its node is consolidated',
  Drifted: 'its node has drifted and is replaced',
  Expired: 'its node has expired',
  Unhealthy: 'its node is unhealthy',
  Interrupted: 'EC2 takes its node away',
  LaunchTimeout: 'its node did not start',
  RegistrationTimeout: 'its node did not start',
  InsufficientCapacity: 'its node did not start',
  InstanceGone: 'its instance is gone',
  Requested: 'its node was deleted',
};

/** The sentence about an impaired node, and the reason of its Kubernetes Event. */
const IMPAIRED: Readonly<
  Record<EventOf<'impaired'>['cause'], (claim: string) => readonly [sentence: string, reason: EventReason]>
> = {
  system_status: (claim) => [`EC2 finds the host of ${claim} broken; its pods leave at once.`, 'InstanceUnhealthy'],
  instance_status: (claim) => [
    `EC2 cannot reach the instance of ${claim}; its pods leave at once.`,
    'InstanceUnhealthy',
  ],
  event_status: (claim) => [scheduledText(claim), 'InstanceUnhealthy'],
  scheduled_change: (claim) => [scheduledText(claim), 'InstanceUnhealthy'],
  instance_stopped: (claim) => [`The instance of ${claim} stops; its pods are planned anew.`, 'InstanceStopping'],
  instance_terminated: (claim) => [`The instance of ${claim} ends; its pods are planned anew.`, 'InstanceTerminating'],
};

const scheduledText = (claim: string): string => `EC2 has scheduled an event for ${claim}; its pods leave before.`;

/** Events of single nodes, and of the pods on them. */
export const NODE_EVENT_KINDS = {
  launch: {
    sentence: formatLaunch,
    kubernetes: ({ claim }) => [{ on: 'pod', reason: 'Nominated', note: `Should be scheduled on NodeClaim ${claim}` }],
    published: ({ claim: nodeClaim, offering, pods, replaces = [] }, facts) => {
      const { instanceType, zone, capacityType, hourlyUsd } = offering;
      const price = { instanceType, zone, capacityType, hourlyUsd };
      const detail = { ...facts, nodeClaim, ...price, ...namePods(pods), replaces: replaces.slice(0, MAX_NAMES) };
      return [{ kind: 'NodeLaunched', detail }];
    },
  },
  'launch-refused': {
    sentence: ({ claim, reason, text }) => `EC2 refuses to launch ${claim}: ${reason}. ${toSentence(text)}`,
    warns: always,
    published: ({ claim: nodeClaim, reason }, facts) => [
      { kind: 'LaunchRefused', detail: { ...facts, nodeClaim, reason } },
    ],
  },
  unavailable: {
    sentence({ offerings: [first, ...others], until, reason }) {
      const what = first ? `${first.instanceType} ${first.capacityType} in ${first.zone}` : 'capacity';
      const more = others.length > 0 ? `, nor ${formatCount(others.length, 'other offering')}` : '';
      const verb = reason === undefined ? 'has no' : `(${reason}) launches no`;
      return `EC2 ${verb} ${what}${more}; not asked again until ${formatClock(until)}.`;
    },
    warns: always,
    // Not published: EC2 reports missing capacity also for launches that succeed elsewhere.
    kubernetes: on('claim', 'InsufficientCapacityError'),
  },
  'class-not-ready': {
    sentence: ({ claim, nodeClass, text, isGivenUp }) =>
      isGivenUp
        ? `${claim} is deleted, because it cannot be launched: ${toSentence(text)}`
        : `${claim} waits for EC2NodeClass ${nodeClass}: ${toSentence(text)}`,
    warns: always,
    kubernetes: ({ reason }) => [{ on: 'claim', reason: toNodeClassReason(reason) }],
  },
  'replacement-requested': {
    sentence: ({ claim, replaces, reason }) =>
      `${claim} is launched in place of ${formatNames(replaces)} (${reason}), which ${replaces.length === 1 ? 'stays' : 'stay'} until it is ready.`,
    kubernetes: () => [
      { on: 'claim', reason: 'DisruptionLaunching' },
      { on: 'claim', reason: 'DisruptionWaitingReadiness' },
    ],
  },
  ready: {
    sentence: ({ claim, waitedMs }) =>
      waitedMs > 0
        ? `${claim} is ready, ${formatDuration(waitedMs)} after the first pod waited.`
        : `${claim} is ready.`,
  },
  'not-registered': {
    sentence: ({ claim, afterMs }) =>
      `${claim} did not register within ${formatDuration(afterMs)}; terminated, its pods planned anew.`,
    warns: always,
    kubernetes: on('claim-and-node', 'DisruptionTerminating', { type: 'Normal' }),
    published: ({ claim }, facts) => disrupted(facts, [claim], { reason: 'RegistrationTimeout' }),
  },
  unguarded: {
    sentence: ({ claim }) =>
      `The Node of ${claim} joined without the taint karpenter.sh/unregistered; pods may have come too early.`,
    warns: always,
    kubernetes: on('claim', 'UnregisteredTaintMissing'),
  },
  inconsistent: {
    sentence: ({ claim, text }) => `The Node of ${claim} is not what was launched: ${toSentence(text)}`,
    warns: always,
    kubernetes: on('claim', 'FailedConsistencyCheck'),
  },
  interruption: {
    sentence: ({ claim, reserved, deadline, at }) =>
      `EC2 takes back ${reserved ? 'reserved' : 'spot'} node ${claim} in ${formatToSecond(deadline - at)}.`,
    warns: always,
    kubernetes: ({ reserved }) => [
      { on: 'claim-and-node', reason: reserved ? 'CapacityReservationInstanceInterrupted' : 'SpotInterrupted' },
      {
        on: 'claim-and-node',
        reason: 'TerminatingOnInterruption',
        note: 'Its pods leave before EC2 takes it back.',
      },
    ],
    published: ({ claim, reserved, deadline }, facts) => {
      const cause = reserved ? 'capacity_reservation_interrupted' : 'spot_interrupted';
      return disrupted(facts, [claim], { reason: 'Interrupted', cause, deadline });
    },
  },
  rebalance: {
    sentence: ({ claim, replaced }) =>
      `EC2 advises to leave ${claim}; ${replaced ? 'it is replaced as the budgets for drift allow' : 'it stays until EC2 takes it back'}.`,
    kubernetes: on('claim-and-node', 'SpotRebalanceRecommendation'),
  },
  'block-ends': {
    sentence: ({ claim, endsAt }) =>
      `The capacity block of ${claim} ends at ${formatClock(endsAt)}; its pods leave before.`,
    warns: always,
    kubernetes: on('claim-and-node', 'TerminatingOnInterruption'),
    published: ({ claim, endsAt: deadline }, facts) =>
      disrupted(facts, [claim], { reason: 'Interrupted', cause: 'capacity_block_expiring', deadline }),
  },
  impaired: {
    sentence: ({ claim, cause }) => IMPAIRED[cause](claim)[0],
    warns: always,
    kubernetes: ({ claim, cause }) => [
      { on: 'claim-and-node', reason: IMPAIRED[cause](claim)[1] },
      { on: 'claim-and-node', reason: 'TerminatingOnInterruption', note: 'Its pods are moved to other nodes.' },
    ],
    published: ({ claim, cause }, facts) => disrupted(facts, [claim], { reason: 'Interrupted', cause }),
  },
  'node-missing': {
    sentence: ({ claim, at, since }) =>
      `The Node of ${claim} has been missing for ${formatDuration(at - since)} while its instance ran; terminated without a drain, its pods planned anew.`,
    warns: always,
    kubernetes: on('claim', 'NodeMissing'),
    published: ({ claim }, facts) => disrupted(facts, [claim], { reason: 'Unhealthy', cause: 'NodeMissing' }),
  },
  drifted: {
    sentence: ({ claim, text }) => `${claim} has drifted: ${toSentence(text)}`,
    kubernetes: on('claim-and-node', 'Drifted'),
  },
  expired: {
    sentence: ({ claim, at }) => `${claim} expires at ${formatClock(at)}; its pods are planned anew.`,
    kubernetes: on('claim-and-node', 'DisruptionTerminating'),
    published: ({ claim }, facts) => disrupted(facts, [claim], { reason: 'Expired' }),
  },
  repair: {
    sentence: ({ claim, condition, status, at, since, drainMs }) =>
      `${claim} is replaced: its condition ${condition} has been ${status} for ${formatDuration(at - since)}. Its pods ${drainMs === undefined ? 'leave at once' : `have ${formatDuration(drainMs)} to leave`}.`,
    kubernetes: on('claim-and-node', 'DisruptionTerminating'),
    published: ({ claim, condition: cause }, facts) => disrupted(facts, [claim], { reason: 'Unhealthy', cause }),
  },
  'reboot-requested': {
    sentence: ({ claim, cause, drainMs }) =>
      `${claim} is rebooted for ${cause}. Its pods have ${formatDuration(drainMs)} to leave; those that remain stay on the node.`,
    kubernetes: on('claim-and-node', 'DisruptionTerminating'),
  },
  rebooted: {
    sentence: ({ claim }) => `${claim} has booted again; it is used once it is Ready.`,
    kubernetes: on('claim', 'RebootObserved'),
  },
  'reboot-failed': {
    sentence: ({ claim, why }) => `${claim} is replaced, because its reboot failed: ${toSentence(why)}`,
    warns: always,
    kubernetes: on('claim', 'RebootFailed'),
    published: ({ claim }, facts) => disrupted(facts, [claim], { reason: 'Unhealthy', cause: 'RebootFailed' }),
  },
  'repair-waits': {
    sentence: ({ claim, keptBy }) =>
      keptBy === 'annotation'
        ? `${claim} is unhealthy and stays: the annotation karpenter.sh/do-not-repair keeps it.`
        : `${claim} is unhealthy and waits: the budgets of its NodePool allow no further disruption for the reason Unhealthy.`,
    kubernetes: on('claim-and-node', 'DisruptionBlocked', { quietMs: STAYING_NODE_QUIET_MS }),
  },
  'repair-blocked': {
    sentence: ({ claim, unhealthy, nodes, pool }) =>
      `${claim} is unhealthy and stays: ${unhealthy} of ${nodes} nodes of ${pool === undefined ? 'the cluster' : `NodePool ${pool}`} are, and above 20 % none is replaced.`,
    warns: always,
    kubernetes: on('claim-and-node', 'NodeRepairBlocked', { quietMs: STAYING_NODE_QUIET_MS }),
  },
  draining: {
    sentence({ claim, pods, deadline, at }) {
      const remaining = deadline === undefined ? '' : `; ${formatToSecond(deadline - at)} left`;
      return `Moving ${formatCount(pods, 'pod')} off ${claim}${remaining}.`;
    },
    warns: ({ deadline }) => deadline !== undefined,
    kubernetes: ({ deadline }) =>
      deadline === undefined ? [] : [{ on: 'claim-and-node', reason: 'TerminationGracePeriodExpiring' }],
  },
  'drain-stuck': {
    sentence: ({ claim, text }) => `The drain of ${claim} does not progress: ${toSentence(text)}`,
    warns: always,
    // The Node's Event names every blocker, a pod's Event only its own.
    kubernetes: ({ claim, blockers }) => [
      { on: 'claim-and-node', reason: 'FailedDraining' },
      ...blockers.slice(0, MAX_BLOCKED_PODS).map(({ pod, why, remedy }) => ({
        ...{ on: 'pod' as const, reason: 'FailedDraining' as const, pods: [pod] },
        note: `${claim} is drained and waits for it: ${why}; ${remedy}.`,
      })),
    ],
  },
  evicted: {
    sentence: ({ pod, claim, reason }) => `${pod} is evicted from ${claim}: ${REMOVALS[reason]}.`,
    kubernetes: ({ node }) => [{ on: 'pod', reason: 'Evicted', addition: `Its Node is ${node}.` }],
  },
  'eviction-refused': {
    sentence: ({ pod, pdb }) => `Eviction of ${pod} refused: PDB ${pdb} allows none. Tried again within 30 s.`,
    warns: always,
    kubernetes: on('pod', 'FailedDraining'),
  },
  'eviction-failed': {
    sentence: ({ pod, why }) => `${pod} cannot be moved: ${toSentence(why)} Tried again within 30 s.`,
    warns: always,
    kubernetes: on('pod', 'FailedDraining'),
  },
  'pod-deleted': {
    sentence({ pod, claim, reason, deadline, grantedMs, wantedMs }) {
      const until = deadline === undefined ? 'now' : `by ${formatClock(deadline, 'seconds')}`;
      const granted = `${formatToSecond(grantedMs)} of its grace period of ${formatToSecond(wantedMs)}`;
      return `${pod} is deleted from ${claim} regardless of budgets and do-not-disrupt: ${REMOVALS[reason]}, and it must be empty ${until}. The pod has ${granted}.`;
    },
    // The sentence names the NodeClaim; kubectl lists the pods of a Node.
    kubernetes: ({ node }) => [{ on: 'pod', reason: 'Disrupted', addition: `Its Node is ${node}.` }],
  },
  'owner-restarted': {
    sentence: ({ pod, claim, deployment, why }) =>
      why === undefined
        ? `Deployment ${deployment} is restarted, because a budget keeps ${pod} on the draining node of ${claim}: its replacement starts elsewhere first.`
        : `The Deployment of ${pod} is not restarted: ${toSentence(why)}`,
    warns: ({ why }) => why !== undefined,
    kubernetes: ({ why }) => [
      { on: 'pod', reason: why === undefined ? 'DeploymentRestarted' : 'DeploymentNotRestarted' },
    ],
  },
  'volumes-attached': {
    sentence: ({ claim, volumes }) => `${claim} is drained and waits for its volumes to detach: ${volumes}.`,
    kubernetes: on('node', 'AwaitingVolumeDetachment'),
  },
  terminated: { sentence: ({ claim, livedMs }) => `${claim} is gone after ${formatDuration(livedMs)}.` },
  adopted: { sentence: ({ claim }) => `${claim} runs without a record: it was given a new one.` },
} satisfies Partial<EventKinds>;

export const toNodeClassReason = (condition: string | undefined): EventReason =>
  condition === NODE_CLASS_NOT_FOUND ? NODE_CLASS_NOT_FOUND : 'NodeClassNotReady';
