import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { formatShortDuration } from '../../model/duration.ts';
import { formatParts } from '../../model/explanations/phrases.ts';
import { formatReason } from '../../model/explanations/reasons.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import {
  blocksByAnnotation,
  findDoNotDisruptEnd,
  isEvictable,
  isFullyBlocking,
  listMatchingBudgets,
} from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { mayBeRestarted } from '../../model/pods/restarts.ts';
import { DAY_MS, type EpochMs, formatInstant, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import { listAllowedStretches } from '../budget-stretches.ts';
import { findBlockingBudget } from '../obstacles.ts';
import { MOVE_MS } from '../window-pace.ts';
import { listCurrentVersions, versionOfLaunch } from './image-version.ts';

/** How far the replacement of a pool's drifted nodes is. */
export interface RolloutProgress {
  /** Drifted nodes, those included that are drained because of it. */
  readonly remaining: number;
  /** Ready nodes that match the pool and its class. */
  readonly current: number;
  /**
   * Nodes of the pool while the budgets are used in full, with a replacement for each; `undefined` if the
   * rollout is stopped.
   */
  readonly peakNodes?: number;
  /** When the budgets, or the back-off after a failed replacement, allow the next one; if not now. */
  readonly resumesAt?: EpochMs;
  /** Those of `remaining` that stay until a user changes something. */
  readonly blocked?: readonly BlockedNode[];
  /** Why no node is replaced until a node of the version becomes ready. */
  readonly stopped?: string;
  /** `undefined` if the rollout is stopped, blocked, or needs more than a week. */
  readonly remainingMs?: number;
}

export type RolloutFacts = Pick<ClusterSnapshot, 'claims' | 'nodeClasses' | 'driftRests'> & BlockFacts;

/** Budgets are looked at this far. */
const HORIZON_MS = 7 * DAY_MS;
/** The pace of the last replacements; fewer say too little. */
const MAX_MEASURED = 10;
const MIN_MEASURED = 3;

/** Computes the progress of the pool's rollout; `undefined` if no node of the pool has drifted. */
export function computeRolloutProgress(pool: NodePool, facts: RolloutFacts): RolloutProgress | undefined {
  const own = facts.claims.filter((claim) => claim.pool === pool.name && claim.terminatedAt === undefined);
  const old = own.filter(isOld);
  if (old.length === 0) return undefined;
  const current = own.filter(isCurrent);
  const blocked = findBlockedNodes(old, facts);
  const counts = {
    remaining: old.length,
    current: current.length,
    ...(blocked.length > 0 && { blocked }),
  };
  const stopped = findStop(old, facts);
  if (stopped !== undefined) return { ...counts, stopped };
  const movable = old.length - blocked.length;
  if (movable === 0) return counts;

  const { takenAt } = facts;
  const from = Math.max(takenAt, ownValue(facts.driftRests, pool.name) ?? 0);
  const nodes = own.filter(({ initializedAt }) => initializedAt !== undefined).length;
  const stretches = listAllowedStretches(pool, 'Drifted', nodes, {
    from,
    to: takenAt + HORIZON_MS,
  }).filter((stretch) => stretch.nodes > 0);
  const resumesAt = stretches[0]?.from ?? takenAt;
  const atOnce = Math.min(movable, Math.max(0, ...stretches.map((stretch) => stretch.nodes)));
  const endsAt = findEnd(stretches, movable, measurePace(old, current));
  return {
    ...counts,
    peakNodes: old.length + current.length + atOnce,
    ...(resumesAt > takenAt && { resumesAt }),
    ...(endsAt !== undefined && { remainingMs: endsAt - takenAt }),
  };
}

const isOld = ({ drift, deletingAt, removal }: NodeClaim): boolean =>
  deletingAt === undefined ? drift !== undefined : removal === 'Drifted';

const isCurrent = ({ drift, deletingAt, initializedAt }: NodeClaim): boolean =>
  deletingAt === undefined && drift === undefined && initializedAt !== undefined;

function findStop(old: readonly NodeClaim[], { nodeClasses = [] }: RolloutFacts) {
  const names = new Set(old.map(({ nodeClass }) => nodeClass.name));
  for (const nodeClass of nodeClasses) {
    const { name, stopped } = nodeClass;
    if (!stopped || !names.has(name)) continue;
    const { version, why } = stopped;
    const waits = old.some(
      ({ launch, nodeClass: { name: own } }) =>
        own === name && launch !== undefined && versionOfLaunch(launch) !== version,
    );
    if (waits && listCurrentVersions(nodeClass).includes(version)) return why;
  }
  return undefined;
}

/**
 * Measures the time from one replacement to the next, in milliseconds, by the last replacements.
 * Nodes that pods were waiting for are not replacements. `undefined` if there are too few.
 */
function measurePace(old: readonly NodeClaim[], current: readonly NodeClaim[]): number | undefined {
  const since = Math.min(...old.flatMap(({ drift }) => drift?.since ?? []));
  const readyAt = current
    .flatMap(({ createdAt, initializedAt, podsWaitedSince }) =>
      createdAt >= since && podsWaitedSince === undefined ? (initializedAt ?? []) : [],
    )
    .toSorted((a, b) => a - b)
    .slice(-MAX_MEASURED);
  const [first, last] = [readyAt[0], readyAt.at(-1)];
  if (first === undefined || last === undefined || readyAt.length < MIN_MEASURED) return undefined;
  return Math.max(SECOND_MS, (last - first) / (readyAt.length - 1));
}

/** Finds when so many nodes are replaced, if replacements start only while the budgets allow any. */
function findEnd(
  stretches: ReturnType<typeof listAllowedStretches>,
  nodes: number,
  measuredMs: number | undefined,
): EpochMs | undefined {
  let remaining = nodes;
  for (const { from, to, nodes: allowed } of stretches) {
    const perNodeMs = measuredMs ?? MOVE_MS / Math.min(allowed, nodes);
    if (remaining * perNodeMs <= to - from) return from + remaining * perNodeMs;
    remaining -= (to - from) / perNodeMs;
  }
  return undefined;
}

/** Describes the progress in one sentence, for conditions, explanations and the console. */
export function describeRollout(progress: RolloutProgress): string {
  const { remaining, current, peakNodes, stopped, blocked = [] } = progress;
  const counts = `${remaining} node${remaining === 1 ? '' : 's'} to replace, ${current} up to date`;
  if (stopped !== undefined) return `${counts}; stopped: ${stopped}`;
  const peak = peakNodes === undefined ? '' : `, up to ${peakNodes} nodes at a time`;
  if (blocked.length === 0) return `${counts}${peak}; ${describeTime(progress)}`;
  const others = blocked.length < remaining ? `${describeTime(progress)} for the others; ` : '';
  return `${counts}${peak}; ${others}${describeBlocked(remaining, blocked)}`;
}

const MAX_BLOCKED = 3;

function describeBlocked(remaining: number, blocked: readonly BlockedNode[]): string {
  const named = blocked.map(({ claim, why }) => `${why} (${claim})`);
  const count = `${blocked.length} of ${remaining} ${blocked.length === 1 ? 'is' : 'are'} blocked`;
  return `${count}: ${formatParts(named, MAX_BLOCKED)}`;
}

function describeTime({ resumesAt, remainingMs }: RolloutProgress): string {
  const waits = resumesAt === undefined ? '' : `goes on at ${formatInstant(resumesAt)}, `;
  if (remainingMs === undefined) return `${waits}more than a week to go`;
  const minutes = Math.ceil(remainingMs / MINUTE_MS);
  return `${waits}about ${formatShortDuration(minutes * MINUTE_MS)} to go`;
}

/** A node of a rollout that stays until a user changes something. */
interface BlockedNode {
  readonly claim: string;
  readonly why: string;
}

/** Without pods and budgets no node counts as blocked. */
type BlockFacts = Pick<ClusterSnapshot, 'takenAt'> &
  Partial<Pick<ClusterSnapshot, 'nodes' | 'pods' | 'podDisruptionBudgets'>>;

/**
 * Finds the nodes that drift cannot replace until a budget or an annotation is changed. A budget that
 * allows none only for now blocks no rollout.
 */
function findBlockedNodes(claims: readonly NodeClaim[], facts: BlockFacts): readonly BlockedNode[] {
  const byNode = Map.groupBy(facts.pods ?? [], ({ nodeName }) => nodeName);
  return claims.flatMap((claim) => {
    const pods = claim.nodeName === undefined ? [] : (byNode.get(claim.nodeName) ?? []);
    const why = findWhyBlocked(claim, pods, facts);
    return why === undefined ? [] : [{ claim: claim.name, why }];
  });
}

function findWhyBlocked(
  claim: NodeClaim,
  pods: readonly Pod[],
  { nodes = [], podDisruptionBudgets = [], takenAt }: BlockFacts,
): string | undefined {
  if (claim.deletingAt !== undefined) {
    return claim.drainDeadline === undefined ? claim.blockedDrain?.text : undefined;
  }
  const node = nodes.find(({ name }) => name === claim.nodeName);
  if (claim.keptByHand || node?.annotations[DO_NOT_DISRUPT_ANNOTATION] === 'true') {
    return formatProtection('the node');
  }
  // With a terminationGracePeriod, drift replaces nodes whatever their pods say.
  if (claim.terminationGracePeriodMs !== undefined) return undefined;
  const kept = pods.find((pod) => blocksByAnnotation(pod, takenAt) && findDoNotDisruptEnd(pod) === Infinity);
  if (kept) return formatProtection(`pod ${podKey(kept)}`);
  for (const pod of pods) {
    const [budget, second] = listMatchingBudgets(pod, podDisruptionBudgets);
    if (!budget || !(second || isFullyBlocking(budget))) continue;
    if (mayBeRestarted(pod) || !isEvictable(pod, takenAt)) continue;
    const reason = findBlockingBudget(pod, podDisruptionBudgets);
    if (reason) return formatReason(reason);
  }
  return undefined;
}

const formatProtection = (object: string): string =>
  formatReason({
    code: 'blocked-by-do-not-disrupt',
    fields: { object, until: 'it is removed' },
  });
