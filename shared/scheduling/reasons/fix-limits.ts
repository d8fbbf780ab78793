import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodePool } from '../../model/node-pool.ts';
import type { Pod } from '../../model/pod.ts';
import { formatAmount } from '../../model/quantity.ts';
import type { Reason } from '../../model/reasons.ts';
import { NODES } from '../../model/resources.ts';
import { cheapestType } from '../packing/drafts.ts';
import { type Problem, prepare } from '../problem.ts';
import { solve } from '../solve.ts';
import { at, toResources } from '../vectors.ts';
import { type Proposal, withPool } from './fix-proposal.ts';

/** To what the pool uses, and what all of the pods would add if nothing limited it. */
export function raiseLimit(
  pool: NodePool,
  { fields }: Reason,
  pods: readonly Pod[],
  problem: Problem,
): Proposal[] {
  const { resource = '' } = fields;
  const { [resource]: limit, ...others } = pool.limits;
  if (limit === undefined) return [];
  const used = usedOf(pool, resource, problem);
  const added = addedWith(
    withPool(problem.snapshot, { ...pool, limits: others }),
    pool,
    resource,
    pods,
  );
  const to = used + added;
  return [
    {
      kind: 'raise-limit',
      object: `NodePool/${pool.name}`,
      path: `spec.limits.${resource}`,
      from: formatAmount(resource, limit),
      to: formatAmount(resource, to),
      snapshot: withPool(problem.snapshot, { ...pool, limits: { ...others, [resource]: to } }),
      pods,
    },
  ];
}

function usedOf({ name }: NodePool, resource: string, { usage, columns }: Problem): number {
  const used = usage.get(name);
  if (!used) return 0;
  return resource === NODES ? used.nodes : (toResources(columns, used.capacity)[resource] ?? 0);
}

function addedWith(
  unlimited: ClusterSnapshot,
  { name }: NodePool,
  resource: string,
  pods: readonly Pod[],
): number {
  const problem = prepare(unlimited);
  const drafts = solve(problem, pods).drafts.filter(({ template }) => template.pool.name === name);
  if (resource === NODES) return drafts.length;
  const column = problem.columns.indexOf.get(resource);
  return drafts.reduce((total, draft) => {
    const capacity = problem.index.capacity[cheapestType(draft, problem).type];
    return total + (capacity && column !== undefined ? at(capacity, column) : 0);
  }, 0);
}
