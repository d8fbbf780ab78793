import { formatDuration } from '../duration.ts';
import { disrupted, namePods } from '../published-events/published-event.ts';
import { MINUTE_MS } from '../time.ts';
import { always, type EventKinds, type EventOf, type KubernetesEvent, on } from './event-kind.ts';
import type { LaunchCap } from './events.ts';
import { STAYING_NODE_QUIET_MS } from './node-event-kinds.ts';
import { formatClock, formatCount, formatNames, formatPods, formatUsd, toSentence } from './phrases.ts';

const PENDING_QUIET_MS = 5 * MINUTE_MS;

/** Events of plans, NodePools, EC2NodeClasses and the whole cluster. */
export const PLAN_EVENT_KINDS = {
  placed: {
    sentence: ({ pods }) =>
      `${formatPods(pods)} ${pods.length === 1 ? 'fits' : 'fit'} on nodes that run; nothing launched.`,
    kubernetes: ({ targets }) => [
      { on: 'pod', reason: 'Nominated', note: `Should be scheduled on ${targets.join(' or ')}` },
    ],
  },
  unplaced: {
    sentence: ({ pods, text }) =>
      `${formatPods(pods)} ${pods.length === 1 ? 'fits' : 'fit'} no NodePool: ${toSentence(text)}`,
    warns: always,
    kubernetes: ({ text: note }) => [{ on: 'pod', reason: 'FailedScheduling', note, quietMs: PENDING_QUIET_MS }],
    published: ({ pods }, facts) => [
      { kind: 'PodsWaiting', detail: { ...facts, ...namePods(pods), reason: 'NoNodePoolFits' } },
    ],
  },
  'remove-empty': {
    sentence({ claims, at, savingHourlyUsd }) {
      const [is, goes, saves] = claims.length === 1 ? ['is', 'goes', 'saves'] : ['are', 'go', 'save'];
      const saving = savingHourlyUsd === 0 ? '' : `, ${saves} ${formatUsd(savingHourlyUsd)}/h`;
      return `${formatNames(claims)} ${is} empty; ${goes} at ${formatClock(at, 'seconds')}${saving}.`;
    },
    kubernetes: on('claim-and-node', 'DisruptionTerminating'),
    published: ({ claims }, facts) => disrupted(facts, claims, { reason: 'Empty' }),
  },
  remove: {
    sentence({ claims, pods, savingHourlyUsd, paybackMs, offHoursOf }) {
      if (offHoursOf !== undefined) {
        return `Removing ${formatNames(claims)}: NodePool ${offHoursOf} is in its off hours. ${formatCount(pods, 'pod')} ${pods === 1 ? 'moves, or waits' : 'move, or wait'} until hours begin.${savingText(savingHourlyUsd)}`;
      }
      const whose = claims.length === 1 ? 'its' : 'their';
      const fit = `${whose} ${formatCount(pods, 'pod')} ${pods === 1 ? 'fits' : 'fit'} on nodes that stay`;
      return `Removing ${formatNames(claims)}: ${fit}.${savingText(savingHourlyUsd, paybackText(paybackMs))}`;
    },
    kubernetes: writeRemoval,
    published: ({ claims }, facts) => disrupted(facts, claims, { reason: 'Underutilized' }),
  },
  replace: {
    sentence({ claims, from, by, paybackMs, offHoursOf }) {
      const price = by.hourlyUsd === 0 ? 'not priced' : `$${by.hourlyUsd.toFixed(3)}`;
      const offHours = offHoursOf === undefined ? '' : `: NodePool ${offHoursOf} is in its off hours`;
      return `Replacing ${formatNames(claims)} (${from}) by ${by.instanceType} ${by.capacityType}, ${price}${paybackText(paybackMs)}${offHours}.`;
    },
    kubernetes: writeRemoval,
    published: ({ claims }, facts) => disrupted(facts, claims, { reason: 'Underutilized' }),
  },
  'replace-drifted': {
    sentence({ claims, reason, by, terminatesFirst }) {
      const what = `${formatNames(claims)} (${reason})`;
      if (terminatesFirst) return `Removing ${what}: there is no room for a replacement before it is gone.`;
      if (by.length === 0) return `Removing ${what}: what runs there fits on nodes that stay.`;
      const kinds = by.map(({ instanceType, capacityType }) => `${instanceType} ${capacityType}`);
      return `Replacing ${what} by ${formatNames(kinds)}.`;
    },
    kubernetes: on('claim-and-node', 'DisruptionTerminating'),
    published: ({ claims, reason: cause }, facts) => disrupted(facts, claims, { reason: 'Drifted', cause }),
  },
  'consolidation-dropped': {
    sentence: ({ claims }) =>
      `${formatNames(claims)} ${claims.length === 1 ? 'stays' : 'stay'}: the consolidation did not hold after the wait.`,
    kubernetes: on('claim-and-node', 'ConsolidationRejected'),
  },
  'move-back-prevented': {
    sentence: ({ claim, types }) =>
      `${claim} stays: its consolidation would bring back ${types.join(', ')}, which an earlier one replaced, and its pods request as much as then.`,
    warns: always,
    kubernetes: on('claim-and-node', 'MoveBackPrevented', { quietMs: STAYING_NODE_QUIET_MS }),
    count: (_, counters) => counters.count('mortise_moves_back_prevented_total', {}),
  },
  'rollout-stopped': {
    sentence: ({ nodeClass, why }) =>
      `Rollout of EC2NodeClass ${nodeClass} stopped, its old nodes stay: ${toSentence(why)}`,
    warns: always,
    published: ({ nodeClass, claim: nodeClaim }, facts) => [
      { kind: 'RolloutStopped', detail: { ...facts, nodeClass, nodeClaim } },
    ],
  },
  'rollout-resumed': {
    sentence: ({ nodeClass, claim }) => `Rollout of EC2NodeClass ${nodeClass} goes on: ${claim} is ready.`,
  },
  'class-in-use': {
    sentence: ({ nodeClass, claims }) =>
      `EC2NodeClass ${nodeClass} is deleted when ${formatNames(claims)} ${claims.length === 1 ? 'is' : 'are'} gone.`,
    kubernetes: on('class', 'WaitingOnNodeClaimTermination'),
  },
  capped: {
    sentence({ nodes, cap, pods, podCount, claims }) {
      const forPods = podCount > 0 ? ` for ${formatCount(podCount, 'pod')} (${formatNames(pods)})` : '';
      const concerned = claims.length > 0 ? ` (${formatNames(claims)})` : '';
      return `${formatCount(nodes, 'node')}${forPods}${concerned} ${nodes === 1 ? 'waits' : 'wait'}: ${capText(cap)}`;
    },
    warns: always,
    kubernetes: () => [
      { on: 'pod', reason: 'LaunchesCapped' },
      { on: 'claim', reason: 'LaunchesCapped' },
    ],
    published: ({ cap: { name: cap, limit }, nodes, pods, podCount }, facts) => [
      { kind: 'CapReached', detail: { ...facts, ...namePods(pods, podCount), nodes, cap, limit } },
    ],
    count: ({ cap: { name: cap } }, counters) => counters.count('mortise_launches_capped_total', { cap }),
  },
  'pods-not-received': {
    sentence({ pool, claims, pods, failures, until }) {
      const count = `${formatCount(pods.length, 'pod')} (${formatNames(pods)})`;
      return `${formatNames(claims)} of NodePool ${pool} ${claims.length === 1 ? 'was' : 'were'} launched for ${count} and received none of them${timesText(failures)}. Nothing more is launched there for these pods until ${formatClock(until)}.`;
    },
    warns: always,
    kubernetes: () => [
      { on: 'pool', reason: 'PodsNotReceived' },
      { on: 'pod', reason: 'PodsNotReceived' },
    ],
    published: ({ pods }, facts) => [
      { kind: 'PodsWaiting', detail: { ...facts, ...namePods(pods), reason: 'NodesNotUsed' } },
    ],
  },
  'plan-unfinished': {
    sentence({ planner, startedAt }) {
      const at = formatClock(startedAt, 'seconds');
      return planner === 'disruption'
        ? `The plan of removals that began at ${at} did not end. Nodes are looked at in parts, until the one that ends the planner is found.`
        : `The plan that began at ${at} did not end. Its pods are planned in parts, until the one that ends the planner is found.`;
    },
    warns: always,
    count: (_, counters) => counters.count('mortise_plans_unfinished_total', {}),
  },
  'pods-set-aside': {
    sentence({ pods, podCount, failures, until }) {
      const theyAre = podCount === 1 ? 'it is' : 'they are';
      return `The planner ended without a plan when it planned ${formatCount(podCount, 'pod')} (${formatNames(pods)})${timesText(failures)}. All other pods are planned; ${theyAre} planned again at ${formatClock(until)}, or when changed.`;
    },
    warns: always,
    kubernetes: on('pod', 'PlanningFailed'),
    published: ({ pods, podCount }, facts) => [
      { kind: 'PodsWaiting', detail: { ...facts, ...namePods(pods, podCount), reason: 'PlanningFailed' } },
    ],
  },
  'node-set-aside': {
    sentence: ({ claim, failures, until }) =>
      `The planner ended without a plan when it planned the removal of ${claim}${timesText(failures)}. It stays, and the removal of all other nodes is planned; it is looked at again at ${formatClock(until)}.`,
    warns: always,
    kubernetes: on('claim-and-node', 'PlanningFailed'),
  },
  'planning-paused': {
    sentence({ planner, pools, isPartial, failures, until }) {
      if (isPartial)
        return `The planner ended without a plan when it planned removals with NodePool ${formatNames(pools)}${timesText(failures)}. Its nodes stay, and no node is replaced from it; all other nodes are planned. It is tried again at ${formatClock(until)}.`;
      const [plans, subjects, effect] =
        planner === 'disruption'
          ? ['Plans of removals', 'nodes', 'is removed or replaced to save money or because of drift']
          : ['Plans for pods', 'pods', 'is launched for pods'];
      return `${plans} do not end, whichever ${subjects} they leave out${timesText(failures)}: a defect that a NodePool or a running pod brings out. No node ${effect}; tried again at ${formatClock(until)}.`;
    },
    warns: always,
    kubernetes: on('pool', 'PlanningFailed'),
  },
  'zonal-shift-active': {
    sentence: ({ zone, zoneId, until, pool }) =>
      `A zonal shift leads away from ${zone} (${zoneId}) until ${formatClock(until)}: NodePool ${pool} gets no node there, and none there is ended.`,
    warns: always,
    kubernetes: ({ zone: about }) => [{ on: 'pool', reason: 'ZonalShiftActive', about }],
  },
  'zonal-shift-cleared': {
    sentence: ({ zone, zoneId, pool }) =>
      `No zonal shift leads away from ${zone} (${zoneId}) any more: NodePool ${pool} may have nodes there again.`,
    kubernetes: ({ zone: about }) => [{ on: 'pool', reason: 'ZonalShiftCleared', about }],
  },
  'shifts-unknown': {
    sentence: ({ why }) => `Zonal shifts cannot be read, the last known ones stay in force: ${toSentence(why)}`,
    warns: always,
  },
  unexplained: {
    sentence: ({ count, fleet }) =>
      `${count} of ${fleet} instances have no record. That many are terminated only after a confirmation.`,
    warns: always,
  },
  'cluster-deleted': {
    sentence: ({ arn, at, since, instances }) =>
      `EKS has had no cluster ${arn} for ${formatDuration(at - since)}: its instances (${instances}), launch templates and instance profiles are ended. Delete this stack.`,
    warns: always,
  },
  'stand-by': {
    sentence: ({ owner, why }) =>
      why === 'another-cluster'
        ? `Standing by: the records here are of ${owner}, which is not this cluster.`
        : `Standing by: ${owner} owns this cluster.`,
  },
  you: { sentence: ({ text }) => toSentence(text) },
} satisfies Partial<EventKinds>;

function writeRemoval({ balanced }: EventOf<'remove' | 'replace'>): readonly KubernetesEvent[] {
  const terminating: KubernetesEvent = { on: 'claim-and-node', reason: 'DisruptionTerminating' };
  return balanced ? [{ on: 'claim-and-node', reason: 'ConsolidationApproved' }, terminating] : [terminating];
}

function capText({ name, limit, peak }: LaunchCap): string {
  switch (name) {
    case 'launchesPerMinute':
      return `the cluster may launch ${formatCount(limit, 'node')} a minute (launchesPerMinute).`;
    case 'maxHourlyUsd':
      return `the instances of the cluster may cost $${limit} an hour (maxHourlyUsd).`;
    case 'maxNodes':
      return peak === undefined
        ? `the cluster may have ${formatCount(limit, 'node')} (maxNodes).`
        : `the cluster may have ${limit} nodes for now, three times the ${peak} that were ready at a time in the last day and at least 20. More are launched once those are ready; maxNodes sets another limit.`;
  }
}

const timesText = (failures: number): string => (failures > 1 ? `, ${failures} times in a row` : '');

/** Empty without prices: 0 is an unknown saving. */
const savingText = (usd: number, payback = ''): string => (usd === 0 ? '' : ` Saves ${formatUsd(usd)}/h${payback}.`);

const paybackText = (paybackMs: number | undefined): string =>
  paybackMs === undefined ? '' : `, pays back in ${formatDuration(paybackMs)}`;
