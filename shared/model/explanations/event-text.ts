import { formatDuration } from '../duration.ts';
import type { RemovalReason } from '../nodes/node-claim.ts';
import type { ClusterEvent, LaunchCap } from './events.ts';
import { formatLaunch } from './launch-text.ts';
import { formatClock, formatCount, formatNames, formatPods, formatToSecond, formatUsd, toSentence } from './phrases.ts';

type EventOf<K extends ClusterEvent['kind']> = Extract<ClusterEvent, { kind: K }>;

/**
 * Formats the event as one sentence, which the console, the terminal and logs share. Times are UTC.
 */
export function formatEvent(event: ClusterEvent): string {
  switch (event.kind) {
    case 'launch':
      return formatLaunch(event);
    case 'placed':
      return `${formatPods(event.pods)} ${event.pods.length === 1 ? 'fits' : 'fit'} on nodes that run; nothing launched.`;
    case 'unplaced':
      return `${formatPods(event.pods)} ${event.pods.length === 1 ? 'fits' : 'fit'} no NodePool: ${toSentence(event.text)}`;
    case 'ready':
      return readyText(event);
    case 'interruption':
      return `EC2 takes back ${event.reserved ? 'reserved' : 'spot'} node ${event.claim} in ${formatToSecond(event.deadline - event.at)}.`;
    case 'rebalance':
      return event.replaced
        ? `EC2 advises to leave ${event.claim}; it is replaced as the budgets for drift allow.`
        : `EC2 advises to leave ${event.claim}; it stays until EC2 takes it back.`;
    case 'block-ends':
      return `The capacity block of ${event.claim} ends at ${formatClock(event.endsAt)}; its pods leave before.`;
    case 'impaired':
      return IMPAIRED[event.cause](event.claim);
    case 'draining':
      return drainingText(event);
    case 'volumes-attached':
      return `${event.claim} is drained and waits for its volumes to detach: ${event.volumes}.`;
    case 'unavailable':
      return unavailableText(event);
    case 'remove-empty':
      return emptyText(event);
    case 'remove':
      return removeText(event);
    case 'replace':
      return `Replacing ${formatNames(event.claims)} (${event.from}) by ${event.by.instanceType} ${event.by.capacityType}, ${event.by.hourlyUsd === 0 ? 'not priced' : `$${event.by.hourlyUsd.toFixed(3)}`}${paybackText(event.paybackMs)}${offHoursText(event.offHoursOf)}.`;
    case 'drifted':
      return `${event.claim} has drifted: ${toSentence(event.text)}`;
    case 'replace-drifted':
      return driftText(event);
    case 'rollout-stopped':
      return `Rollout of EC2NodeClass ${event.nodeClass} stopped, its old nodes stay: ${toSentence(event.why)}`;
    case 'rollout-resumed':
      return `Rollout of EC2NodeClass ${event.nodeClass} goes on: ${event.claim} is ready.`;
    case 'evicted':
      return `${event.pod} is evicted from ${event.claim}: ${REMOVALS[event.reason]}.`;
    case 'pod-deleted':
      return podDeletedText(event);
    case 'owner-restarted':
      return event.why === undefined
        ? `Deployment ${event.deployment} is restarted, because a budget keeps ${event.pod} on the draining node of ${event.claim}: its replacement starts elsewhere first.`
        : `The Deployment of ${event.pod} is not restarted: ${toSentence(event.why)}`;
    case 'replacement-requested':
      return `${event.claim} is launched in place of ${formatNames(event.replaces)} (${event.reason}), which ${event.replaces.length === 1 ? 'stays' : 'stay'} until it is ready.`;
    case 'class-in-use':
      return `EC2NodeClass ${event.nodeClass} is deleted when ${formatNames(event.claims)} ${event.claims.length === 1 ? 'is' : 'are'} gone.`;
    case 'class-not-ready':
      return event.isGivenUp
        ? `${event.claim} is deleted, because it cannot be launched: ${toSentence(event.text)}`
        : `${event.claim} waits for EC2NodeClass ${event.nodeClass}: ${toSentence(event.text)}`;
    case 'consolidation-dropped':
      return `${formatNames(event.claims)} ${event.claims.length === 1 ? 'stays' : 'stay'}: the consolidation did not hold after the wait.`;
    case 'move-back-prevented':
      return `${event.claim} stays: its consolidation would bring back ${event.types.join(', ')}, which an earlier one replaced, and its pods request as much as then.`;
    case 'eviction-refused':
      return `Eviction of ${event.pod} refused: PDB ${event.pdb} allows none. Tried again within 30 s.`;
    case 'eviction-failed':
      return `${event.pod} cannot be moved: ${toSentence(event.why)} Tried again within 30 s.`;
    case 'drain-stuck':
      return `The drain of ${event.claim} does not progress: ${toSentence(event.text)}`;
    case 'expired':
      return `${event.claim} expires at ${formatClock(event.at)}; its pods are planned anew.`;
    case 'repair':
      return `${event.claim} is replaced: its condition ${event.condition} has been ${event.status} for ${formatDuration(event.at - event.since)}. Its pods ${event.drainMs === undefined ? 'leave at once' : `have ${formatDuration(event.drainMs)} to leave`}.`;
    case 'reboot-requested':
      return `${event.claim} is rebooted for ${event.cause}. Its pods have ${formatDuration(event.drainMs)} to leave; those that remain stay on the node.`;
    case 'rebooted':
      return `${event.claim} has booted again; it is used once it is Ready.`;
    case 'reboot-failed':
      return `${event.claim} is replaced, because its reboot failed: ${toSentence(event.why)}`;
    case 'repair-waits':
      return event.keptBy === 'annotation'
        ? `${event.claim} is unhealthy and stays: the annotation karpenter.sh/do-not-repair keeps it.`
        : `${event.claim} is unhealthy and waits: the budgets of its NodePool allow no further disruption for the reason Unhealthy.`;
    case 'repair-blocked':
      return `${event.claim} is unhealthy and stays: ${event.unhealthy} of ${event.nodes} nodes of ${event.pool === undefined ? 'the cluster' : `NodePool ${event.pool}`} are, and above 20 % none is replaced.`;
    case 'not-registered':
      return `${event.claim} did not register within ${formatDuration(event.afterMs)}; terminated, its pods planned anew.`;
    case 'node-missing':
      return `The Node of ${event.claim} has been missing for ${formatDuration(event.at - event.since)} while its instance ran; terminated without a drain, its pods planned anew.`;
    case 'inconsistent':
      return `The Node of ${event.claim} is not what was launched: ${toSentence(event.text)}`;
    case 'launch-refused':
      return `EC2 refuses to launch ${event.claim}: ${event.reason}. ${toSentence(event.text)}`;
    case 'unguarded':
      return `The Node of ${event.claim} joined without the taint karpenter.sh/unregistered; pods may have come too early.`;
    case 'terminated':
      return `${event.claim} is gone after ${formatDuration(event.livedMs)}.`;
    case 'capped':
      return cappedText(event);
    case 'pods-not-received':
      return notReceivedText(event);
    case 'plan-unfinished':
      return unfinishedText(event);
    case 'pods-set-aside':
      return setAsideText(event);
    case 'node-set-aside':
      return `The planner ended without a plan when it planned the removal of ${event.claim}${timesText(event.failures)}. It stays, and the removal of all other nodes is planned; it is looked at again at ${formatClock(event.until)}.`;
    case 'planning-paused':
      return pausedText(event);
    case 'adopted':
      return `${event.claim} runs without a record: it was given a new one.`;
    case 'unexplained':
      return `${event.count} of ${event.fleet} instances have no record. That many are terminated only after a confirmation.`;
    case 'cluster-deleted':
      return `EKS has had no cluster ${event.arn} for ${formatDuration(event.at - event.since)}: its instances (${event.instances}), launch templates and instance profiles are ended. Delete this stack.`;
    case 'stand-by':
      return event.why === 'another-cluster'
        ? `Standing by: the records here are of ${event.owner}, which is not this cluster.`
        : `Standing by: ${event.owner} owns this cluster.`;
    case 'zonal-shift-active':
      return `A zonal shift leads away from ${event.zone} (${event.zoneId}) until ${formatClock(event.until)}: NodePool ${event.pool} gets no node there, and none there is ended.`;
    case 'zonal-shift-cleared':
      return `No zonal shift leads away from ${event.zone} (${event.zoneId}) any more: NodePool ${event.pool} may have nodes there again.`;
    case 'shifts-unknown':
      return `Zonal shifts cannot be read, the last known ones stay in force: ${toSentence(event.why)}`;
    case 'you':
      return toSentence(event.text);
  }
}

function cappedText({ nodes, cap, pods, podCount, claims }: EventOf<'capped'>): string {
  const forPods = podCount > 0 ? ` for ${formatCount(podCount, 'pod')} (${formatNames(pods)})` : '';
  const concerned = claims.length > 0 ? ` (${formatNames(claims)})` : '';
  const verb = nodes === 1 ? 'waits' : 'wait';
  return `${formatCount(nodes, 'node')}${forPods}${concerned} ${verb}: ${capText(cap)}`;
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

const unfinishedText = ({ planner, startedAt }: EventOf<'plan-unfinished'>): string =>
  planner === 'disruption'
    ? `The plan of removals that began at ${formatClock(startedAt, 'seconds')} did not end. Nodes are looked at in parts, until the one that ends the planner is found.`
    : `The plan that began at ${formatClock(startedAt, 'seconds')} did not end. Its pods are planned in parts, until the one that ends the planner is found.`;

function pausedText({ planner, pools, isPartial, failures, until }: EventOf<'planning-paused'>): string {
  if (isPartial)
    return `The planner ended without a plan when it planned removals with NodePool ${formatNames(pools)}${timesText(failures)}. Its nodes stay, and no node is replaced from it; all other nodes are planned. It is tried again at ${formatClock(until)}.`;
  const [plans, subjects, effect] =
    planner === 'disruption'
      ? ['Plans of removals', 'nodes', 'is removed or replaced to save money or because of drift']
      : ['Plans for pods', 'pods', 'is launched for pods'];
  return `${plans} do not end, whichever ${subjects} they leave out${timesText(failures)}: a defect that a NodePool or a running pod brings out. No node ${effect}; tried again at ${formatClock(until)}.`;
}

const timesText = (failures: number): string => (failures > 1 ? `, ${failures} times in a row` : '');

function setAsideText({ pods, podCount, failures, until }: EventOf<'pods-set-aside'>): string {
  const verb = podCount === 1 ? 'is' : 'are';
  return `The planner ended without a plan when it planned ${formatCount(podCount, 'pod')} (${formatNames(pods)})${timesText(failures)}. All other pods are planned; ${podCount === 1 ? 'it' : 'they'} ${verb} planned again at ${formatClock(until)}, or when changed.`;
}

function notReceivedText({ pool, claims, pods, failures, until }: EventOf<'pods-not-received'>): string {
  const count = `${formatCount(pods.length, 'pod')} (${formatNames(pods)})`;
  return `${formatNames(claims)} of NodePool ${pool} ${claims.length === 1 ? 'was' : 'were'} launched for ${count} and received none of them${timesText(failures)}. Nothing more is launched there for these pods until ${formatClock(until)}.`;
}

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

function podDeletedText(event: EventOf<'pod-deleted'>): string {
  const { pod, claim, reason, deadline, grantedMs, wantedMs } = event;
  const until = deadline === undefined ? 'now' : `by ${formatClock(deadline, 'seconds')}`;
  const granted = `${formatToSecond(grantedMs)} of its grace period of ${formatToSecond(wantedMs)}`;
  return `${pod} is deleted from ${claim} regardless of budgets and do-not-disrupt: ${REMOVALS[reason]}, and it must be empty ${until}. The pod has ${granted}.`;
}

const scheduledText = (claim: string): string => `EC2 has scheduled an event for ${claim}; its pods leave before.`;

const IMPAIRED: Readonly<Record<EventOf<'impaired'>['cause'], (claim: string) => string>> = {
  system_status: (claim) => `EC2 finds the host of ${claim} broken; its pods leave at once.`,
  instance_status: (claim) => `EC2 cannot reach the instance of ${claim}; its pods leave at once.`,
  event_status: scheduledText,
  scheduled_change: scheduledText,
  instance_stopped: (claim) => `The instance of ${claim} stops; its pods are planned anew.`,
  instance_terminated: (claim) => `The instance of ${claim} ends; its pods are planned anew.`,
};

const readyText = ({ claim, waitedMs }: EventOf<'ready'>): string =>
  waitedMs > 0 ? `${claim} is ready, ${formatDuration(waitedMs)} after the first pod waited.` : `${claim} is ready.`;

function drainingText({ claim, pods, deadline, at }: EventOf<'draining'>): string {
  const remaining = deadline === undefined ? '' : `; ${formatToSecond(deadline - at)} left`;
  return `Moving ${formatCount(pods, 'pod')} off ${claim}${remaining}.`;
}

function unavailableText({ offerings, until, reason }: EventOf<'unavailable'>): string {
  const [first, ...others] = offerings;
  const what = first ? `${first.instanceType} ${first.capacityType} in ${first.zone}` : 'capacity';
  const more = others.length > 0 ? `, nor ${formatCount(others.length, 'other offering')}` : '';
  const verb = reason === undefined ? 'has no' : `(${reason}) launches no`;
  return `EC2 ${verb} ${what}${more}; not asked again until ${formatClock(until)}.`;
}

function emptyText({ claims, at, savingHourlyUsd }: EventOf<'remove-empty'>): string {
  const [is, goes, saves] = claims.length === 1 ? ['is', 'goes', 'saves'] : ['are', 'go', 'save'];
  const saving = savingHourlyUsd === 0 ? '' : `, ${saves} ${formatUsd(savingHourlyUsd)}/h`;
  const when = formatClock(at, 'seconds');
  return `${formatNames(claims)} ${is} empty; ${goes} at ${when}${saving}.`;
}

function removeText(event: EventOf<'remove'>): string {
  const { claims, pods, savingHourlyUsd, paybackMs, offHoursOf } = event;
  if (offHoursOf !== undefined) {
    return `Removing ${formatNames(claims)}: NodePool ${offHoursOf} is in its off hours. ${formatCount(pods, 'pod')} ${pods === 1 ? 'moves, or waits' : 'move, or wait'} until hours begin.${savingText(savingHourlyUsd)}`;
  }
  const whose = claims.length === 1 ? 'its' : 'their';
  const fit = `${whose} ${formatCount(pods, 'pod')} ${pods === 1 ? 'fits' : 'fit'} on nodes that stay`;
  return `Removing ${formatNames(claims)}: ${fit}.${savingText(savingHourlyUsd, paybackText(paybackMs))}`;
}

/** Empty without prices: 0 is an unknown saving. */
const savingText = (usd: number, payback = ''): string => (usd === 0 ? '' : ` Saves ${formatUsd(usd)}/h${payback}.`);

const offHoursText = (pool: string | undefined): string =>
  pool === undefined ? '' : `: NodePool ${pool} is in its off hours`;

const paybackText = (paybackMs: number | undefined): string =>
  paybackMs === undefined ? '' : `, pays back in ${formatDuration(paybackMs)}`;

function driftText({ claims, reason, by, terminatesFirst }: EventOf<'replace-drifted'>): string {
  const what = `${formatNames(claims)} (${reason})`;
  if (terminatesFirst) return `Removing ${what}: there is no room for a replacement before it is gone.`;
  if (by.length === 0) return `Removing ${what}: what runs there fits on nodes that stay.`;
  const kinds = by.map(({ instanceType, capacityType }) => `${instanceType} ${capacityType}`);
  return `Replacing ${what} by ${formatNames(kinds)}.`;
}
