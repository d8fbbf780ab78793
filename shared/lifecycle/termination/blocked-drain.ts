import { formatParts } from '../../model/explanations/phrases.ts';
import { formatReason, type Reason } from '../../model/explanations/reasons.ts';
import type { BlockedDrain, DrainBlocker, NodeClaim } from '../../model/nodes/node-claim.ts';
import {
  canEvictUnhealthy,
  findDoNotDisruptEnd,
  hasActiveDoNotDisrupt,
  isFullyBlocking,
  listMatchingBudgets,
} from '../../model/pods/disruption-pods.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import { findTriedRestart, mayBeRestarted } from '../../model/pods/restarts.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import { formatLabelSelector } from '../../model/requirements/selectors.ts';
import { type EpochMs, formatInstant, HOUR_MS, MINUTE_MS } from '../../model/time.ts';
import type { Observed } from '../observed.ts';
import { planDrain, toDrainLimit } from './drain.ts';

/** Longer than most rollouts take to free a budget. */
const DRAIN_STUCK_MS = 10 * MINUTE_MS;
/** The API server forgets Events after an hour by default. */
const REPORT_INTERVAL_MS = HOUR_MS;
/** Maximum number of blockers in a text. */
const MAX_LISTED = 3;

/**
 * Records how long no pod has left a draining node although some pod cannot be evicted, and what
 * blocks it: at once if that does not change by itself, else once it has lasted for ten minutes.
 *
 * @param refusals - answers of the API server other than budgets, by pod
 * @returns `claim` itself if nothing changed
 */
export function recordBlockedDrain(
  claim: NodeClaim,
  observed: Observed,
  refusals: ReadonlyMap<PodKey, string>,
): NodeClaim {
  const drain = findBlockedDrain(claim, observed, refusals);
  if (drain) return drain === claim.blockedDrain ? claim : { ...claim, blockedDrain: drain };

  const { blockedDrain: _, ...freedClaim } = claim;
  return claim.blockedDrain ? freedClaim : claim;
}

function findBlockedDrain(
  claim: NodeClaim,
  { pods, budgets = [], now }: Observed,
  refusals: ReadonlyMap<PodKey, string>,
): BlockedDrain | undefined {
  if (claim.drainingAt === undefined || claim.drainedAt !== undefined) return undefined;
  const { waiting, next } = planDrain(pods, now, toDrainLimit(claim));
  const all = next.flatMap((pod) => findObstacle(pod, claim, budgets, now, refusals) ?? []);
  if (all.length === 0) return undefined;

  const recorded = claim.blockedDrain;
  const hasProgressed = !recorded || waiting.length < recorded.pods;
  const since = hasProgressed ? now : recorded.since;
  const obstacles = now - since < DRAIN_STUCK_MS ? all.filter(({ isLasting }) => isLasting) : all;
  if (obstacles.length === 0) {
    const isSame = !hasProgressed && waiting.length === recorded.pods && !recorded.text;
    return isSame ? recorded : { pods: waiting.length, since };
  }
  const blockers = obstacles.map(({ pod, why, remedy }): DrainBlocker => ({ pod, why, remedy }));
  return report(recorded, { pods: waiting.length, since, blockers }, claim.drainDeadline, now);
}

/** True if no pod has left for ten minutes; a drain with a deadline ends by itself. */
export const isDrainStuck = (
  { blockedDrain, drainDeadline }: Pick<NodeClaim, 'blockedDrain' | 'drainDeadline'>,
  now: EpochMs,
): boolean =>
  blockedDrain?.text !== undefined && drainDeadline === undefined && now - blockedDrain.since >= DRAIN_STUCK_MS;

/** The pods that keep a draining node until a user changes something. */
export function listLastingObstacles(
  claim: NodeClaim,
  { pods, budgets = [], now }: Pick<Observed, 'pods' | 'budgets' | 'now'>,
): readonly DrainObstacle[] {
  if (claim.deletingAt === undefined || claim.drainedAt !== undefined) return [];
  return planDrain(pods, now, toDrainLimit(claim)).next.flatMap((pod) => {
    const obstacle = findObstacle(pod, claim, budgets, now, new Map());
    return obstacle?.isLasting ? [obstacle] : [];
  });
}

/** Keeps the recorded drain if nothing changed and its last report is recent. */
function report(
  recorded: BlockedDrain | undefined,
  drain: Required<Pick<BlockedDrain, 'pods' | 'since' | 'blockers'>>,
  deadline: EpochMs | undefined,
  now: EpochMs,
): BlockedDrain {
  const text = formatCause(drain, deadline);
  const { reportedAt = Number.NEGATIVE_INFINITY } = recorded ?? {};
  const isReported = now < reportedAt + REPORT_INTERVAL_MS && isSameCause(recorded?.blockers ?? [], drain.blockers);
  if (recorded && isReported && recorded.text === text) return recorded;
  return { ...drain, text, reportedAt: isReported ? reportedAt : now };
}

/** Numbers of ready pods change often; pods and remedies do not. */
const isSameCause = (some: readonly DrainBlocker[], others: readonly DrainBlocker[]): boolean =>
  some.length === others.length &&
  some.every(({ pod, remedy }, index) => pod === others[index]?.pod && remedy === others[index].remedy);

function formatCause(
  { pods, since, blockers }: Required<Pick<BlockedDrain, 'pods' | 'since' | 'blockers'>>,
  deadline: EpochMs | undefined,
): string {
  const count = pods === 1 ? '1 pod has' : `${pods} pods have`;
  const listed = formatParts(blockers.map(formatBlocker), MAX_LISTED);
  const end = deadline === undefined ? '' : `. Remaining pods are deleted by ${formatInstant(deadline)} regardless.`;
  return formatReason({
    code: 'drain-stuck',
    fields: { pods: count, since: formatInstant(since), blockers: `${listed}${end}` },
  });
}

const formatBlocker = ({ pod, why, remedy }: DrainBlocker): string => `${pod}: ${why}; ${remedy}`;

/** A blocker, and the change that frees its pod. */
export interface DrainObstacle extends DrainBlocker {
  /** It does not change by itself. */
  readonly isLasting?: true;
  /** Why the planner of removals would keep the node; `undefined` if no single change frees the pod. */
  readonly reason?: Reason;
}

/** Why the pod cannot be evicted now; `undefined` if it can be. */
function findObstacle(
  pod: Pod,
  claim: NodeClaim,
  budgets: readonly PodDisruptionBudget[],
  now: EpochMs,
  refusals: ReadonlyMap<PodKey, string>,
): DrainObstacle | undefined {
  const cause =
    explainTermination(pod) ??
    explainProtection(pod, now) ??
    explainBudgets(pod, budgets) ??
    explainRefusal(refusals.get(podKey(pod)));
  return cause && withRestart({ pod: podKey(pod), ...cause }, pod, claim);
}

/** Adds what became of the restart that the drain has tried. A restart that may come changes the pod. */
function withRestart(blocker: DrainObstacle, pod: Pod, claim: NodeClaim): DrainObstacle {
  const { isLasting: _, ...passing } = blocker;
  const restart = findTriedRestart(pod, claim);
  if (!restart) return mayBeRestarted(pod) ? passing : blocker;
  const { owner, at, obstacle } = restart;
  return obstacle === undefined
    ? {
        ...passing,
        why: `it waits for the rollout of ${owner}, restarted at ${formatInstant(at)}`,
        remedy: 'see why its new pod is not ready',
      }
    : { ...blocker, why: `${blocker.why}, and it cannot be restarted elsewhere: ${obstacle}` };
}

type Cause = Omit<DrainObstacle, 'pod'>;

const explainTermination = ({ deletionAt }: Pod): Cause | undefined =>
  deletionAt === undefined
    ? undefined
    : {
        why: `it terminates, with a grace period until ${formatInstant(deletionAt)}`,
        remedy: 'end its process, or delete it with a shorter grace period',
      };

function explainProtection(pod: Pod, now: EpochMs): Cause | undefined {
  if (!hasActiveDoNotDisrupt(pod, now)) return undefined;
  const end = findDoNotDisruptEnd(pod);
  const until = end !== undefined && Number.isFinite(end) ? ` until ${formatInstant(end)}` : '';
  const reason: Reason = {
    code: 'blocked-by-do-not-disrupt',
    fields: { object: `pod ${podKey(pod)}` },
  };
  return {
    why: `it has the annotation karpenter.sh/do-not-disrupt${until}`,
    remedy: 'remove it',
    ...(until === '' && { isLasting: true, reason }),
  };
}

function explainBudgets(pod: Pod, budgets: readonly PodDisruptionBudget[]): Cause | undefined {
  // The eviction API asks no budget about a pending pod.
  if (pod.phase === 'Pending') return undefined;
  const covering = listMatchingBudgets(pod, budgets);
  const [first, ...others] = covering;
  if (!first) return undefined;
  if (others.length > 0) {
    const names = covering.map(nameOf).join(' and ');
    return {
      why: `PodDisruptionBudgets ${names} both select it, and the API server evicts no such pod`,
      remedy: 'change the selector of one',
      isLasting: true,
    };
  }
  return isAllowed(pod, first) ? undefined : explainBudget(pod, first);
}

const nameOf = ({ namespace, name }: PodDisruptionBudget): string => `${namespace}/${name}`;

/**
 * @see kubernetes, registry/core/pod/storage/eviction.go
 */
function isAllowed(pod: Pod, budget: PodDisruptionBudget): boolean {
  const { disruptionsAllowed, currentHealthy, desiredHealthy } = budget;
  if (disruptionsAllowed > 0 || canEvictUnhealthy(pod, budget)) return true;
  return !pod.ready && desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** The counts are those of its status: reading its pods would take megabytes at each step of a drain. */
function explainBudget(pod: Pod, budget: PodDisruptionBudget): Cause {
  const { namespace, selector, currentHealthy, desiredHealthy, expectedPods } = budget;
  const [field, value] =
    budget.maxUnavailable === undefined
      ? ['minAvailable', budget.minAvailable ?? '0']
      : ['maxUnavailable', budget.maxUnavailable];
  const change = field === 'minAvailable' ? 'lower minAvailable' : 'raise maxUnavailable';
  const name = `PodDisruptionBudget ${nameOf(budget)} (${field} ${value})`;
  const reason: Reason = { code: 'blocked-by-pdb', fields: { pdb: nameOf(budget) } };
  if (isFullyBlocking(budget)) {
    return { why: `${name} never allows an eviction`, remedy: change, isLasting: true, reason };
  }

  const unready = expectedPods - currentHealthy;
  if (unready > 0) {
    const policy = pod.ready ? '' : ', or set unhealthyPodEvictionPolicy: AlwaysAllow';
    const labels = selector ? formatLabelSelector(selector) : '';
    const selection = labels === '' ? '' : ` -l '${labels}'`;
    return {
      why: `${name} expects ${countPods(expectedPods)}, of which ${unready} ${unready === 1 ? 'is' : 'are'} unready, and needs ${desiredHealthy}`,
      remedy: `make ${unready === 1 ? 'it' : 'them'} ready (kubectl get pods -n ${namespace}${selection})${policy}`,
    };
  }
  return {
    why: `${name} expects ${countPods(expectedPods)}, which ${expectedPods === 1 ? 'is' : 'are'} healthy, and needs ${desiredHealthy}`,
    remedy: `run more replicas or ${change}`,
  };
}

const countPods = (pods: number): string => (pods === 1 ? '1 pod' : `${pods} pods`);

const explainRefusal = (why: string | undefined): Cause | undefined =>
  why === undefined
    ? undefined
    : {
        why: `the API server refuses its eviction: ${why}`,
        remedy: 'allow it in the webhook or policy that answers',
      };
