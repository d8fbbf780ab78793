import { DO_NOT_REPAIR_ANNOTATION, NODEPOOL_LABEL } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { isRebooting, mayRebootAgain } from '../../model/nodes/reboot.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../model/requirements/taints.ts';
import type { EpochMs } from '../../model/time.ts';
import { computeAllowedDisruptions } from '../budgets.ts';
import { type DueRepair, findDueRepair, isRepairable } from './repair-policies.ts';

/** Above this share of unhealthy nodes the cause is elsewhere, and new nodes would fail as well. */
const MAX_UNHEALTHY_SHARE = 0.2;

/** A node to replace or reboot: its drain may take `drainMs`. */
export interface Repair extends Omit<DueRepair, 'rebootHelps'> {
  readonly claim: NodeClaim;
  readonly action: 'replace' | 'reboot';
}

export interface RepairPlan {
  readonly repairs: readonly Repair[];
  /** Due for repair, but too many other nodes are unhealthy. */
  readonly blocked: readonly BlockedRepair[];
  /** Due for repair, but an annotation or a budget keeps the node. */
  readonly waiting: readonly WaitingRepair[];
}

interface BlockedRepair extends Repair {
  /** `undefined` if the counts are for the whole cluster. */
  readonly pool?: string;
  readonly unhealthy: number;
  readonly nodes: number;
}

interface WaitingRepair extends Repair {
  readonly keptBy: 'annotation' | 'budget';
}

interface ManagedNode {
  readonly claim: NodeClaim;
  readonly node: Node;
}

interface RepairOptions {
  /** Claims that running commands remove: they use up budgets, and are not planned again. */
  readonly busy?: ReadonlySet<string>;
  /** True to look at no budget and no annotation, and to count tolerances as Karpenter before 1.15. */
  readonly isLegacy?: boolean;
  /** True if nodes are rebooted where that helps. */
  readonly mayReboot?: boolean;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Plans which nodes with a condition that has failed for longer than tolerated are replaced or rebooted, the
 * longest due first, within the budgets of their NodePools for the reason Unhealthy.
 *
 * @see Karpenter, repair as a disruption method
 */
export function planRepair(
  claims: readonly NodeClaim[],
  { nodes, pools }: { readonly nodes: readonly Node[]; readonly pools: readonly NodePool[] },
  now: EpochMs,
  { busy = NONE, isLegacy = false, mayReboot = false }: RepairOptions = {},
): RepairPlan {
  const managed = pairNodes(claims, nodes);
  const due = managed
    .flatMap((one) => {
      const isUnderWay = busy.has(one.claim.name) || isRebooting(one.claim);
      const due = isUnderWay ? undefined : findDueRepair(one.node, now, isLegacy, one.claim.reboots?.at(-1)?.endedAt);
      if (!due) return [];
      const { rebootHelps, ...repair } = due;
      const reboots = mayReboot && rebootHelps && !isLeaving(one) && mayRebootAgain(one.claim, now);
      return [{ ...one, repair: { claim: one.claim, action: reboots ? 'reboot' : 'replace', ...repair } as const }];
    })
    .toSorted((a, b) => a.repair.dueAt - b.repair.dueAt || (a.claim.name < b.claim.name ? -1 : 1));
  const budgets = new Map(pools.map((pool) => [pool.name, countAllowedRepairs(pool, managed, now, busy)] as const));
  const plan = {
    repairs: [] as Repair[],
    blocked: [] as BlockedRepair[],
    waiting: [] as WaitingRepair[],
  };
  for (const { claim, node, repair } of due) {
    const health = computeHealth(node, nodes);
    const isOverLimit = health.unhealthy > Math.ceil(MAX_UNHEALTHY_SHARE * health.nodes);
    const isBudgeted = claim.initializedAt !== undefined && !isLeaving({ claim, node });
    const allowed = budgets.get(claim.pool) ?? 0;
    if (isVetoed({ claim, node }) && !isLegacy) plan.waiting.push({ ...repair, keptBy: 'annotation' });
    else if (isOverLimit) plan.blocked.push({ ...repair, ...health });
    else if (isBudgeted && allowed <= 0 && !isLegacy) plan.waiting.push({ ...repair, keptBy: 'budget' });
    else {
      plan.repairs.push(repair);
      if (isBudgeted) budgets.set(claim.pool, allowed - 1);
    }
  }
  return plan;
}

/** Claims with exactly one Node. */
function pairNodes(claims: readonly NodeClaim[], nodes: readonly Node[]): readonly ManagedNode[] {
  const nodesByInstance = Map.groupBy(nodes, ({ providerId }) => providerId);
  return claims.flatMap((claim) => {
    const [node, second] = (claim.launch && nodesByInstance.get(claim.launch.providerId)) ?? [];
    return node && !second ? [{ claim, node }] : [];
  });
}

const isVetoed = ({ claim, node }: ManagedNode): boolean =>
  claim.repairVetoed === true || node.annotations[DO_NOT_REPAIR_ANNOTATION] === 'true';

const isLeaving = ({ claim, node }: ManagedNode): boolean =>
  claim.deletingAt !== undefined || node.taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));

/**
 * Counts the nodes that the budgets let be repaired now. Unhealthy nodes use up the budgets of the other
 * reasons only: they must not keep one another from repair.
 */
function countAllowedRepairs(
  pool: NodePool,
  managed: readonly ManagedNode[],
  now: EpochMs,
  busy: ReadonlySet<string>,
): number {
  const counted = managed.filter(
    ({ claim }) =>
      claim.pool === pool.name &&
      (claim.initializedAt !== undefined || isRebooting(claim)) &&
      claim.terminatingAt === undefined,
  );
  const { nodes } = computeAllowedDisruptions(pool, 'Unhealthy', counted.length, now);
  const isUnderWay = (one: ManagedNode) => isLeaving(one) || busy.has(one.claim.name) || isRebooting(one.claim);
  return nodes - counted.filter(isUnderWay).length;
}

/** Counts unhealthy nodes in the node's pool, or in the cluster for a node without a pool. */
function computeHealth({ labels }: Node, all: readonly Node[]): Pick<BlockedRepair, 'pool' | 'unhealthy' | 'nodes'> {
  const pool = labels[NODEPOOL_LABEL];
  const nodes = pool === undefined ? all : all.filter((candidate) => candidate.labels[NODEPOOL_LABEL] === pool);
  const unhealthy = nodes.filter(({ troubles = [] }) => troubles.some(isRepairable)).length;
  return { ...(pool !== undefined && { pool }), unhealthy, nodes: nodes.length };
}
