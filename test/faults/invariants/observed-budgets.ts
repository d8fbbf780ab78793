import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../../shared/model/requirements/taints.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import { isLive } from '../cluster/surroundings.ts';
import type { ViolationLog } from './violations.ts';

const VOLUNTARY: readonly unknown[] = ['Underutilized', 'Empty', 'Drifted'];

export const isVoluntary = ({ removal }: Pick<NodeClaim, 'removal'>): boolean => VOLUNTARY.includes(removal);

interface BudgetParts {
  readonly claims: ReadonlyMap<string, NodeClaim>;
  /** By pool: the most nodes that may be disrupted at a time. */
  readonly budgets: ReadonlyMap<string, number>;
  readonly log: ViolationLog;
}

/**
 * Counts the nodes of a pool that leave voluntarily as they look from outside: their Nodes have the disrupted
 * taint or are being deleted, and EC2 has not begun to end their instances (as in Karpenter, these count no
 * more). Counts whenever one more node begins to leave.
 */
export function watchObservedBudgets(open: OpenWorld, parts: BudgetParts): void {
  const { claims, budgets, log } = parts;
  const findClaim = ({ providerId }: Node): NodeClaim | undefined =>
    [...claims.values()].findLast(({ launch }) => launch?.providerId === providerId);
  const leavesVoluntarily = (node: Node): boolean => {
    const claim = findClaim(node);
    // A user's deletion has no reason yet.
    return claim?.removal === undefined ? isTainted(node) : isVoluntary(claim) && isLeaving(node);
  };

  const isRunning = ({ providerId = '' }: Node): boolean => {
    const instance = open.instances.get(providerId);
    return instance !== undefined && isLive(instance);
  };

  open.api.nodes.watch(({ before, after }) => {
    if (!after || (before && isLeaving(before)) || !isTainted(after) || !leavesVoluntarily(after)) return;
    const pool = findClaim(after)?.pool ?? '';
    const leaving = open.api.nodes
      .list()
      .filter((node) => findClaim(node)?.pool === pool && isRunning(node) && leavesVoluntarily(node));
    const allowed = budgets.get(pool) ?? Number.POSITIVE_INFINITY;
    // An instance may have two Nodes.
    const instances = new Set(leaving.map(({ providerId }) => providerId));
    if (instances.size > allowed) {
      const names = leaving.map(({ name }) => name).join(', ');
      log.report('observed-budget', `${pool} allows ${allowed}, but ${names} leave`);
    }
  });
}

const isTainted = ({ taints }: Node): boolean => taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));

const isLeaving = (node: Node): boolean => isTainted(node) || node.deletionAt !== undefined;
