import { formatDuration } from '../duration.ts';
import type { RemovalReason } from '../nodes/node-claim.ts';
import type { Offering } from '../offerings/instance-type.ts';
import type { PodKey } from '../pods/pod.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time.ts';
import type { ClusterEvent, LaunchCap } from './events.ts';

type EventOf<K extends ClusterEvent['kind']> = Extract<ClusterEvent, { kind: K }>;

/**
 * Formats the event as one sentence, which the console, the terminal and logs share. Times are UTC.
 */
export function formatEvent(event: ClusterEvent): string {
  switch (event.kind) {
    case 'launch':
      return launchText(event);
    case 'placed':
      return `${podsText(event.pods)} ${event.pods.length === 1 ? 'fits' : 'fit'} on nodes that run; nothing launched.`;
    case 'unplaced':
      return `${podsText(event.pods)} ${event.pods.length === 1 ? 'fits' : 'fit'} no NodePool: ${sentence(event.text)}`;
    case 'ready':
      return readyText(event);
    case 'interruption':
      return `EC2 takes back ${event.reserved ? 'reserved' : 'spot'} node ${event.claim} in ${aboutText(event.deadline - event.at)}.`;
    case 'rebalance':
      return event.replaced
        ? `EC2 advises to leave ${event.claim}; it is replaced as the budgets for drift allow.`
        : `EC2 advises to leave ${event.claim}; it stays until EC2 takes it back.`;
    case 'block-ends':
      return `The capacity block of ${event.claim} ends at ${clockText(event.endsAt)}; its pods leave before.`;
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
      return `Replacing ${namesText(event.claims)} (${event.from}) by ${event.by.instanceType} ${event.by.capacityType}, $${event.by.hourlyUsd.toFixed(3)}${paybackText(event.paybackMs)}${offHoursText(event.offHoursOf)}.`;
    case 'drifted':
      return `${event.claim} has drifted: ${sentence(event.text)}`;
    case 'replace-drifted':
      return driftText(event);
    case 'rollout-stopped':
      return `Rollout of EC2NodeClass ${event.nodeClass} stopped, its old nodes stay: ${sentence(event.why)}`;
    case 'rollout-resumed':
      return `Rollout of EC2NodeClass ${event.nodeClass} goes on: ${event.claim} is ready.`;
    case 'evicted':
      return `${event.pod} is evicted from ${event.node}: ${REMOVALS[event.reason]}.`;
    case 'pod-deleted':
      return podDeletedText(event);
    case 'owner-restarted':
      return event.why === undefined
        ? `Deployment ${event.deployment} is restarted, because a budget keeps ${event.pod} on the draining node of ${event.claim}: its replacement starts elsewhere first.`
        : `The Deployment of ${event.pod} is not restarted: ${sentence(event.why)}`;
    case 'replacement-requested':
      return `${event.claim} is launched in place of ${namesText(event.replaces)} (${event.reason}), which ${event.replaces.length === 1 ? 'stays' : 'stay'} until it is ready.`;
    case 'class-in-use':
      return `EC2NodeClass ${event.nodeClass} is deleted when ${namesText(event.claims)} ${event.claims.length === 1 ? 'is' : 'are'} gone.`;
    case 'class-not-ready':
      return event.isGivenUp
        ? `${event.claim} is deleted, because it cannot be launched: ${sentence(event.text)}`
        : `${event.claim} waits for EC2NodeClass ${event.nodeClass}: ${sentence(event.text)}`;
    case 'consolidation-dropped':
      return `${namesText(event.claims)} ${event.claims.length === 1 ? 'stays' : 'stay'}: the consolidation did not hold after the wait.`;
    case 'move-back-prevented':
      return `${event.claim} stays: its consolidation would bring back ${event.types.join(', ')}, which an earlier one replaced, and its pods request as much as then.`;
    case 'eviction-refused':
      return `Eviction of ${event.pod} refused: PDB ${event.pdb} allows none. Tried again within 30 s.`;
    case 'eviction-failed':
      return `${event.pod} cannot be moved: ${sentence(event.why)} Tried again within 30 s.`;
    case 'drain-stuck':
      return `The drain of ${event.claim} does not progress: ${sentence(event.text)}`;
    case 'expired':
      return `${event.claim} expires at ${clockText(event.at)}; its pods are planned anew.`;
    case 'repair':
      return `${event.claim} is replaced: its condition ${event.condition} has been ${event.status} for ${formatDuration(event.at - event.since)}. Its pods leave at once.`;
    case 'repair-blocked':
      return `${event.claim} is unhealthy and stays: ${event.unhealthy} of ${event.nodes} nodes of ${event.pool === undefined ? 'the cluster' : `NodePool ${event.pool}`} are, and above 20 % none is replaced.`;
    case 'not-registered':
      return `${event.claim} did not register within ${formatDuration(event.afterMs)}; terminated, its pods planned anew.`;
    case 'node-missing':
      return `The Node of ${event.claim} has been missing for ${formatDuration(event.at - event.since)} while its instance ran; terminated without a drain, its pods planned anew.`;
    case 'inconsistent':
      return `The Node of ${event.claim} is not what was launched: ${sentence(event.text)}`;
    case 'launch-refused':
      return `EC2 refuses to launch ${event.claim}: ${event.reason}. ${sentence(event.text)}`;
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
      return `The planner ended without a plan when it planned the removal of ${event.claim}${timesText(event.failures)}. It stays, and the removal of all other nodes is planned; it is looked at again at ${clockText(event.until)}.`;
    case 'adopted':
      return `${event.claim} runs without a record: it was given a new one.`;
    case 'unexplained':
      return `${event.count} of ${event.fleet} instances have no record. That many are not ended before somebody confirms it.`;
    case 'cluster-deleted':
      return `EKS has had no cluster ${event.arn} for ${formatDuration(event.at - event.since)}: its instances (${event.instances}), launch templates and instance profiles are ended. Delete this stack.`;
    case 'stand-by':
      return event.why === 'another-cluster'
        ? `Standing by: the records here are of ${event.owner}, which is not this cluster.`
        : `Standing by: ${event.owner} owns this cluster.`;
    case 'zonal-shift-active':
      return `A zonal shift leads away from ${event.zone} (${event.zoneId}) until ${clockText(event.until)}: NodePool ${event.pool} gets no node there, and none there is ended.`;
    case 'zonal-shift-cleared':
      return `No zonal shift leads away from ${event.zone} (${event.zoneId}) any more: NodePool ${event.pool} may have nodes there again.`;
    case 'shifts-unknown':
      return `Zonal shifts are not known, what was told last holds: ${sentence(event.why)}`;
    case 'you':
      return sentence(event.text);
  }
}

function cappedText({ nodes, cap, pods, podCount, claims }: EventOf<'capped'>): string {
  const forPods = podCount > 0 ? ` for ${countText(podCount, 'pod')} (${namesText(pods)})` : '';
  const concerned = claims.length > 0 ? ` (${namesText(claims)})` : '';
  const verb = nodes === 1 ? 'waits' : 'wait';
  return `${countText(nodes, 'node')}${forPods}${concerned} ${verb}: ${capText(cap)}`;
}

function capText({ name, limit, peak }: LaunchCap): string {
  switch (name) {
    case 'launchesPerMinute':
      return `the cluster may launch ${countText(limit, 'node')} a minute (launchesPerMinute).`;
    case 'maxHourlyUsd':
      return `the instances of the cluster may cost $${limit} an hour (maxHourlyUsd).`;
    case 'maxNodes':
      return peak === undefined
        ? `the cluster may have ${countText(limit, 'node')} (maxNodes).`
        : `the cluster may have ${limit} nodes for now, three times the ${peak} that were ready at a time in the last day and at least 20. More are launched once those are ready; maxNodes sets another limit.`;
  }
}

const unfinishedText = ({ planner, startedAt }: EventOf<'plan-unfinished'>): string =>
  planner === 'disruption'
    ? `The plan of removals that began at ${clockText(startedAt, 'seconds')} did not end. Nodes are looked at in parts, until the one that ends the planner is found.`
    : `The plan that began at ${clockText(startedAt, 'seconds')} did not end. Its pods are planned in parts, until the one that ends the planner is found.`;

const timesText = (failures: number): string =>
  failures > 1 ? `, ${failures} times in a row` : '';

function setAsideText({ pods, podCount, failures, until }: EventOf<'pods-set-aside'>): string {
  const verb = podCount === 1 ? 'is' : 'are';
  return `The planner ended without a plan when it planned ${countText(podCount, 'pod')} (${namesText(pods)})${timesText(failures)}. All other pods are planned; ${podCount === 1 ? 'it' : 'they'} ${verb} planned again at ${clockText(until)}, or when changed.`;
}

function notReceivedText({
  pool,
  claims,
  pods,
  failures,
  until,
}: EventOf<'pods-not-received'>): string {
  const count = `${countText(pods.length, 'pod')} (${namesText(pods)})`;
  return `${namesText(claims)} of NodePool ${pool} ${claims.length === 1 ? 'was' : 'were'} launched for ${count} and received none of them${timesText(failures)}. Nothing more is launched there for these pods until ${clockText(until)}.`;
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
  const { pod, node, reason, deadline, grantedMs, wantedMs } = event;
  const until = deadline === undefined ? 'now' : `by ${clockText(deadline, 'seconds')}`;
  const granted = `${aboutText(grantedMs)} of its grace period of ${aboutText(wantedMs)}`;
  return `${pod} is deleted from ${node} regardless of budgets and do-not-disrupt: ${REMOVALS[reason]}, and it must be empty ${until}. The pod has ${granted}.`;
}

const scheduledText = (claim: string): string =>
  `EC2 has scheduled an event for ${claim}; its pods leave before.`;

const IMPAIRED: Readonly<Record<EventOf<'impaired'>['cause'], (claim: string) => string>> = {
  system_status: (claim) => `EC2 finds the host of ${claim} broken; its pods leave at once.`,
  instance_status: (claim) => `EC2 cannot reach the instance of ${claim}; its pods leave at once.`,
  event_status: scheduledText,
  scheduled_change: scheduledText,
  instance_stopped: (claim) => `The instance of ${claim} stops; its pods are planned anew.`,
  instance_terminated: (claim) => `The instance of ${claim} ends; its pods are planned anew.`,
};

type LaunchEvent = EventOf<'launch'>;

function launchText(event: LaunchEvent): string {
  const { offering, nextBest } = event;
  return `${needText(event)} in ${offering.zone} → ${offeringText(offering)}${nextBestText(offering, nextBest)}.`;
}

/** Formats equal launches of one cause as one sentence. */
export function formatLaunches(events: readonly LaunchEvent[]): string {
  const [first] = events;
  if (!first || events.length === 1) return first ? launchText(first) : '';
  const { offering, nextBest } = first;
  const hourlyUsd = events.reduce((sum, { offering: { hourlyUsd } }) => sum + hourlyUsd, 0);
  const all = {
    ...first,
    pods: events.flatMap(({ pods }) => pods),
    podsToCome: events.reduce((sum, { podsToCome = 0 }) => sum + podsToCome, 0),
    cpuMilli: events.reduce((sum, { cpuMilli }) => sum + cpuMilli, 0),
  };
  const need = hasPods(all) ? needText(all) : namesText(events.map(({ claim }) => claim));
  const kind = `${offering.instanceType} ${offering.capacityType}`;
  return `${need} in ${offering.zone} → ${events.length} × ${kind}, ${usdText(hourlyUsd)}/h together${nextBestText(offering, nextBest)}.`;
}

const offeringText = ({ instanceType, capacityType, hourlyUsd }: Offering): string =>
  `${instanceType} ${capacityType}, ${usdText(hourlyUsd)}/h`;

const hasPods = ({ pods, podsToCome = 0 }: Pick<LaunchEvent, 'pods' | 'podsToCome'>): boolean =>
  pods.length + podsToCome > 0;

/** Names the pods that caused the launch, those to come included, else the claim. */
function needText(event: LaunchEvent): string {
  const { claim, pods, podsToCome = 0, cpuMilli, replaces } = event;
  if (replaces) return `${claim} for the pods of ${namesText(replaces)}`;
  if (!hasPods(event)) return claim;
  const count = pods.length + podsToCome;
  const toCome =
    podsToCome === 0 ? '' : pods.length === 0 ? ' to come' : ` (${podsToCome} of them to come)`;
  const verb = count === 1 ? 'needs' : 'need';
  return `${countText(count, 'pod')}${toCome} ${verb} ${cpuText(cpuMilli)} CPU`;
}

/**
 * Returns an empty text if the next best offering costs no more: EC2 chose by more than the price.
 */
function nextBestText({ hourlyUsd }: Offering, nextBest: Offering | undefined): string {
  if (!nextBest || hourlyUsd <= 0) return '';
  const percent = Math.round((nextBest.hourlyUsd / hourlyUsd - 1) * 100);
  return percent > 0 ? `; next best +${percent} %` : '';
}

const readyText = ({ claim, waitedMs }: EventOf<'ready'>): string =>
  waitedMs > 0
    ? `${claim} is ready, ${formatDuration(waitedMs)} after the first pod waited.`
    : `${claim} is ready.`;

function drainingText({ claim, pods, deadline, at }: EventOf<'draining'>): string {
  const remaining = deadline === undefined ? '' : `; ${aboutText(deadline - at)} left`;
  return `Moving ${countText(pods, 'pod')} off ${claim}${remaining}.`;
}

function unavailableText({ offerings, until }: EventOf<'unavailable'>): string {
  const [first, ...others] = offerings;
  const what = first ? `${first.instanceType} ${first.capacityType} in ${first.zone}` : 'capacity';
  const more = others.length > 0 ? `, nor ${countText(others.length, 'other offering')}` : '';
  return `EC2 has no ${what}${more}; not asked again until ${clockText(until)}.`;
}

function emptyText({ claims, at, savingHourlyUsd }: EventOf<'remove-empty'>): string {
  const [is, goes, saves] = claims.length === 1 ? ['is', 'goes', 'saves'] : ['are', 'go', 'save'];
  const when = clockText(at, 'seconds');
  return `${namesText(claims)} ${is} empty; ${goes} at ${when}, ${saves} ${usdText(savingHourlyUsd)}/h.`;
}

function removeText(event: EventOf<'remove'>): string {
  const { claims, pods, savingHourlyUsd, paybackMs, offHoursOf } = event;
  if (offHoursOf !== undefined) {
    return `Removing ${namesText(claims)}: NodePool ${offHoursOf} is in its off hours. ${countText(pods, 'pod')} ${pods === 1 ? 'moves, or waits' : 'move, or wait'} until hours begin. Saves ${usdText(savingHourlyUsd)}/h.`;
  }
  const whose = claims.length === 1 ? 'its' : 'their';
  const fit = `${whose} ${countText(pods, 'pod')} ${pods === 1 ? 'fits' : 'fit'} on nodes that stay`;
  return `Removing ${namesText(claims)}: ${fit}. Saves ${usdText(savingHourlyUsd)}/h${paybackText(paybackMs)}.`;
}

const offHoursText = (pool: string | undefined): string =>
  pool === undefined ? '' : `: NodePool ${pool} is in its off hours`;

const paybackText = (paybackMs: number | undefined): string =>
  paybackMs === undefined ? '' : `, pays back in ${formatDuration(paybackMs)}`;

function driftText({ claims, reason, by }: EventOf<'replace-drifted'>): string {
  const what = `${namesText(claims)} (${reason})`;
  if (by.length === 0) return `Removing ${what}: what runs there fits on nodes that stay.`;
  const kinds = by.map(({ instanceType, capacityType }) => `${instanceType} ${capacityType}`);
  return `Replacing ${what} by ${namesText(kinds)}.`;
}

/**
 * Formats one pod as `shop/cart-0` and several pods with a common name as `3 pods of shop/cart`.
 */
function podsText(pods: readonly PodKey[]): string {
  const [first = '', ...others] = pods;
  if (others.length === 0) return first;
  const workload = commonName(pods);
  return workload ? `${pods.length} pods of ${workload}` : `${pods.length} pods`;
}

// The hash of a ReplicaSet, which means nothing to readers. Kubernetes uses only these letters and
// digits.
const REPLICA_SET_HASH = /-[bcdfghjklmnpqrstvwxz2456789]{6,10}$/;

function commonName(pods: readonly PodKey[]): string | undefined {
  const names = pods.map((pod) => pod.slice(0, pod.lastIndexOf('-')).replace(REPLICA_SET_HASH, ''));
  return names.every((name) => name === names[0]) ? names[0] : undefined;
}

/** Formats names as `a`, `a and b` or `a, b and 4 more`. */
function namesText(names: readonly string[]): string {
  const [first = '', second = '', ...others] = names;
  if (names.length < 3) return names.join(' and ');
  return others.length === 1
    ? `${first}, ${second} and ${others[0]}`
    : `${first}, ${second} and ${others.length} more`;
}

/** Rounds to the nearest second, so that a short delay does not turn 2 min into 1 min 59 s. */
const aboutText = (ms: number): string => formatDuration(Math.round(ms / SECOND_MS) * SECOND_MS);

const countText = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

const cpuText = (milli: number): string => `${Math.round(milli / 10) / 100}`;

const usdText = (usd: number): string => `$${usd.toFixed(usd < 0.1 ? 4 : 3)}`;

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Formats a time as `14:33`, or with seconds as `14:32:18`. */
function clockText(at: EpochMs, precision: 'minutes' | 'seconds' = 'minutes'): string {
  const ofDay = at % DAY_MS;
  const parts = [ofDay / HOUR_MS, (ofDay % HOUR_MS) / MINUTE_MS, (ofDay % MINUTE_MS) / SECOND_MS];
  return parts
    .slice(0, precision === 'seconds' ? 3 : 2)
    .map((part) => `${Math.floor(part)}`.padStart(2, '0'))
    .join(':');
}
