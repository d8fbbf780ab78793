import { computeAllowedDisruptions, findNextOpening } from '../../shared/disruption/budgets.ts';
import { type NodeClaim, phaseOf } from '../../shared/model/nodes/node-claim.ts';
import type { DisruptionReason, NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { HOURS_PER_MONTH } from '../../shared/model/time.ts';
import { totalOf } from '../cost.ts';
import { formatMinute, plural } from '../format.ts';
import type {
  CostByCapacity,
  DisruptionsView,
  NodeView,
  PlaygroundView,
  PodView,
  ProposalView,
  StateView,
  TotalsView,
} from '../views.ts';
import { dominantShare, sumAmounts } from './amounts.ts';
import { explainBound } from './bound-parts.ts';
import type { ConsoleFacts } from './facts.ts';
import { nodeViews } from './nodes.ts';
import { pendingGroups } from './pending.ts';
import { podViews } from './pods.ts';

/** Builds the complete state of one instant. */
export function stateView(facts: ConsoleFacts): StateView {
  const pods = podViews(facts);
  const nodes = nodeViews(facts, pods);
  const play = playgroundView(facts);
  return {
    info: facts.info,
    clock: facts.clock,
    totals: totalsView(facts, nodes, pods),
    nodes,
    pods,
    pending: pendingGroups(facts, pods, nodes),
    namespaces: namespacesBySize(pods),
    ...(facts.notices && { notices: facts.notices }),
    ...(facts.proposal && { proposal: proposalView(facts.proposal) }),
    ...(play !== undefined && { play }),
  };
}

function proposalView({ candidates, replacements, savingHourlyUsd }: DisruptionCommand): ProposalView {
  const removes = `remove ${plural(candidates.length, 'node')}`;
  const launches = replacements.map(({ cheapest }) => `${cheapest.instanceType} ${cheapest.capacityType}`);
  const text = launches.length === 0 ? removes : `${removes}, launch ${launches.join(' and ')}`;
  return { text, nodes: candidates, savingHourlyUsd };
}

/** Largest requests first, then by name. */
function namespacesBySize(pods: readonly PodView[]): string[] {
  const all = sumAmounts(pods.map(({ requests }) => requests));
  const byNamespace = Map.groupBy(
    pods.filter(({ daemon }) => !daemon),
    ({ namespace }) => namespace,
  );
  return [...byNamespace]
    .map(([name, members]) => {
      const requested = sumAmounts(members.map(({ requests }) => requests));
      return { name, share: dominantShare(requested, all) };
    })
    .toSorted((a, b) => b.share - a.share || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function playgroundView({ playable }: ConsoleFacts): PlaygroundView | undefined {
  if (!playable) return undefined;
  return {
    ...playable,
  };
}

function totalsView(facts: ConsoleFacts, nodes: readonly NodeView[], pods: readonly PodView[]): TotalsView {
  const pending = pods.filter(({ state, daemon }) => state === 'pending' && !daemon);
  const oldest = pending.length === 0 ? undefined : Math.min(...pending.map(({ since }) => since));
  const registeredNodes = nodes.filter(({ state }) => state !== 'starting');
  const hourlyUsd = byCapacity(nodes, (node) => node.hourlyUsd ?? 0);
  const wait = waitOf(facts.waitsMs);
  return {
    nodes: byCapacity(nodes, () => 1),
    startingNodes: nodes.length - registeredNodes.length,
    runningPods: pods.filter(({ state }) => state === 'running').length,
    pendingPods: pending.length,
    ...(oldest !== undefined && { oldestPendingSince: oldest }),
    requested: sumAmounts(registeredNodes.map(({ requested }) => requested)),
    allocatable: sumAmounts(registeredNodes.map(({ allocatable }) => allocatable)),
    hourlyUsd,
    monthlyUsd: totalOf(hourlyUsd) * HOURS_PER_MONTH,
    ...(facts.spentUsd !== undefined && { spentUsd: facts.spentUsd }),
    ...(facts.bound && { bound: explainBound(facts.bound, nodes, facts) }),
    ...(wait !== undefined && { wait }),
    disruptions: computeDisruptions(facts),
  };
}

/** Nodes of unknown capacity type count as on-demand. */
function byCapacity(nodes: readonly NodeView[], amount: (node: NodeView) => number): CostByCapacity {
  const sums = { 'on-demand': 0, spot: 0, reserved: 0 };
  for (const node of nodes) sums[node.capacityType ?? 'on-demand'] += amount(node);
  return sums;
}

function waitOf(waitsMs: readonly number[]): TotalsView['wait'] {
  const sorted = waitsMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const [p50Ms, p99Ms] = [at(0.5), at(0.99)];
  return p50Ms === undefined || p99Ms === undefined ? undefined : { p50Ms, p99Ms, pods: sorted.length };
}

const REASONS: readonly DisruptionReason[] = ['Underutilized', 'Empty', 'Drifted'];

/** Computes the allowed disruptions for the reason with the most. */
function computeDisruptions({
  snapshot,
  commands,
  clock,
}: Pick<ConsoleFacts, 'snapshot' | 'commands' | 'clock'>): DisruptionsView {
  const candidates = new Set(commands.flatMap((command) => command.candidates));
  const isGoing = (claim: NodeClaim) => claim.deletingAt !== undefined || candidates.has(claim.name);

  const perPool = snapshot.pools.map((pool) => {
    const own = snapshot.claims.filter((claim) => claim.pool === pool.name && isInitialized(claim));
    const going = own.filter(isGoing).length;
    const allowed = Math.max(...REASONS.map((reason) => allowedIn(pool, reason, own.length, clock.now)));
    const opensAt = findNextOpening(pool, 'Underutilized', own.length, clock.now);
    return { allowed: Math.max(0, allowed - going), going, opensAt };
  });
  const closed = perPool.flatMap(({ opensAt }) => opensAt ?? []);
  return {
    allowed: perPool.reduce((sum, { allowed }) => sum + allowed, 0),
    inProgress: perPool.reduce((sum, { going }) => sum + going, 0),
    text:
      closed.length > 0
        ? `next window ${formatMinute(Math.min(...closed))}`
        : `budgets of ${plural(snapshot.pools.length, 'NodePool')}`,
  };
}

const isInitialized = (claim: NodeClaim): boolean =>
  claim.initializedAt !== undefined && phaseOf(claim) !== 'terminating';

/** Without a budget all nodes are allowed. */
const allowedIn = (pool: NodePool, reason: DisruptionReason, nodes: number, now: number): number =>
  Math.min(nodes, computeAllowedDisruptions(pool, reason, nodes, now).nodes);
