import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { findNextOccurrence, parseCron } from '../../../shared/model/cron.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../../shared/model/plans.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { selects } from '../../../shared/model/requirements/selectors.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { ConsolidationCase, WrittenBudgetEntry } from '../case-schema.ts';

const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
const DISRUPTED = 'karpenter.sh/disrupted';

/**
 * Lists the rules that forbid a command: budgets, annotations, PodDisruptionBudgets and the pool's
 * policy. Written from the specification, without code of the planner.
 */
export function listBrokenRules(
  vector: ConsolidationCase,
  snapshot: ClusterSnapshot,
  command: DisruptionCommand,
): string[] {
  const names = new Set(command.candidates);
  const removed = snapshot.claims.filter(({ name }) => names.has(name));
  return [
    ...(removed.length === names.size ? [] : ['the command removes nodes that do not exist']),
    ...listBrokenBudgets(vector, snapshot, removed, command.reason),
    ...removed.flatMap((claim) => listBlockers(claim, snapshot, command)),
  ];
}

function listBrokenBudgets(
  { nodePools }: ConsolidationCase,
  snapshot: ClusterSnapshot,
  removed: readonly NodeClaim[],
  reason: string,
): string[] {
  return [...Map.groupBy(removed, ({ pool }) => pool)].flatMap(([pool, claims]) => {
    const written = nodePools.find(({ metadata }) => metadata.name === pool);
    const budgets = written?.spec?.disruption?.budgets ?? [{ nodes: '10%' }];
    const counted = snapshot.claims.filter((claim) => claim.pool === pool && claim.initializedAt !== undefined);
    const disrupting = counted.filter((claim) => isDisrupting(claim, snapshot)).length;
    const allowed = budgets
      .filter((budget) => isActive(budget, snapshot.takenAt))
      .filter(({ reasons }) => reasons === undefined || reasons.includes(reason))
      .map(({ nodes }) => toCount(nodes, counted.length));
    const remaining = Math.min(Number.POSITIVE_INFINITY, ...allowed) - disrupting;
    return claims.length <= Math.max(0, remaining)
      ? []
      : [`${claims.length} nodes of ${pool} go, its budgets allow ${Math.max(0, remaining)}`];
  });
}

const isDisrupting = (claim: NodeClaim, { nodes }: ClusterSnapshot): boolean => {
  const node = nodes.find(({ name }) => name === claim.nodeName);
  return claim.deletingAt !== undefined || node?.ready !== true;
};

/** A budget with a schedule is active from each scheduled time on, for its duration. */
function isActive({ schedule, duration }: WrittenBudgetEntry, now: EpochMs): boolean {
  if (schedule === undefined) return true;
  const cron = parseCron(schedule);
  const [, hours = '0', minutes = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?/.exec(duration ?? '') ?? [];
  const windowMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
  const opened = cron && findNextOccurrence(cron, now - windowMs);
  return opened === undefined || opened <= now;
}

const toCount = (nodes: string, of: number): number =>
  nodes.endsWith('%') ? Math.ceil((Number.parseInt(nodes, 10) * of) / 100) : Number(nodes);

function listBlockers(claim: NodeClaim, snapshot: ClusterSnapshot, { reason }: DisruptionCommand): string[] {
  const node = snapshot.nodes.find(({ name }) => name === claim.nodeName);
  const policy = snapshot.pools.find(({ name }) => name === claim.pool)?.disruption;
  const pods = snapshot.pods.filter(
    ({ nodeName, deletionAt, phase }) => nodeName === claim.nodeName && deletionAt === undefined && phase === 'Running',
  );
  return [
    ...(node?.annotations[DO_NOT_DISRUPT] === 'true' ? [`${claim.name} is annotated`] : []),
    ...(policy?.consolidateAfterMs === 'Never' ? [`${claim.pool} never consolidates`] : []),
    ...(policy?.policy === 'WhenEmpty' && reason !== 'Empty' ? [`${claim.pool} removes only empty nodes`] : []),
    ...pods.flatMap((pod) => listPodBlockers(pod, snapshot)),
  ];
}

function listPodBlockers(pod: Pod, { podDisruptionBudgets }: ClusterSnapshot): string[] {
  const name = `${pod.namespace}/${pod.name}`;
  if (pod.annotations[DO_NOT_DISRUPT] === 'true') return [`pod ${name} is annotated`];
  const isEvictable = pod.owner?.kind !== 'Node' && !pod.spec.tolerations.some(({ key }) => key === DISRUPTED);
  if (!isEvictable) return [];
  const budgets = podDisruptionBudgets.filter(
    ({ namespace, selector }) => namespace === pod.namespace && selector !== undefined && selects(selector, pod.labels),
  );
  const blocks = budgets.length > 1 || budgets.some(({ disruptionsAllowed }) => disruptionsAllowed === 0);
  return blocks ? [`a PodDisruptionBudget keeps pod ${name}`] : [];
}
