import type { Reason } from '../../model/explanations/reasons.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { findOffHours, type OffHours } from '../../model/nodes/pool-hours.ts';
import { ownValue } from '../../model/own-value.ts';
import { formatAmount } from '../../model/quantity.ts';
import { NODES } from '../../model/resources.ts';
import { formatInstant } from '../../model/time.ts';
import { type Bitset, forEachBit } from '../data-structures/bitset.ts';
import { at, type Vector } from '../data-structures/resource-vectors.ts';
import { createAllowance, listTypesWithinAllowance } from '../input/pool-limits.ts';
import type { Problem } from '../input/problem.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';

export function findTypesWithinLimits({ pool, limited }: NodeClaimTemplate, types: Bitset, problem: Problem): Bitset {
  if (!limited) return types;
  const allowance = createAllowance(pool, problem.poolUsage.get(pool.name), problem.columns);
  return allowance.nodes < 1 ? problem.typeIndex.none : listTypesWithinAllowance(types, allowance, undefined, problem);
}

/** Explains which limit is reached, and what the smallest suitable node would add to it. */
export function createLimitReason(template: NodeClaimTemplate, suitableTypes: Bitset, problem: Problem): Reason {
  const { pool } = template;
  const usage = problem.poolUsage.get(pool.name);
  const { remaining, nodes } = createAllowance(pool, usage, problem.columns);
  if (nodes < 1) {
    const off = findOffHours(pool, problem.snapshot.takenAt);
    if (off) return createOffHoursReason(pool, off, usage?.nodes ?? 0);
    const fields = {
      pool: pool.name,
      resource: NODES,
      used: `${usage?.nodes ?? 0}`,
      limit: `${pool.limits[NODES] ?? 0}`,
      type: '(any type)',
      needed: '1',
    };
    return { code: 'limit-reached', fields };
  }
  const smallest = findSmallestOverrun(suitableTypes, remaining, problem);
  const resource = problem.columns.names[smallest.column] ?? '';
  const limit = ownValue(pool.limits, resource) ?? 0;
  const fields = {
    pool: pool.name,
    resource,
    used: formatAmount(resource, limit - at(remaining, smallest.column)),
    limit: formatAmount(resource, limit),
    type: smallest.type,
    needed: formatAmount(resource, smallest.needed),
  };
  return { code: 'limit-reached', fields };
}

const createOffHoursReason = ({ name }: NodePool, off: OffHours, used: number): Reason => ({
  code: 'off-hours',
  fields: {
    pool: name,
    used: `${used}`,
    nodes: `${off.nodes}`,
    until: formatInstant(off.until),
  },
});

/** Finds the type that exceeds a limit by the least, and the resource of that limit. */
function findSmallestOverrun(types: Bitset, remaining: Vector, { typeIndex }: Problem) {
  let smallest = { type: '', column: 0, needed: 0, over: Infinity };
  forEachBit(types, (type) => {
    const capacity = typeIndex.capacity[type] ?? new Float64Array();
    let largestOverrun = { column: 0, needed: 0, over: -Infinity };
    for (let column = 0; column < remaining.length; column++) {
      const needed = at(capacity, column);
      const over = needed / Math.max(1, at(remaining, column));
      if (needed > at(remaining, column) && over > largestOverrun.over) largestOverrun = { column, needed, over };
    }
    if (largestOverrun.over > -Infinity && largestOverrun.over < smallest.over) {
      smallest = { type: typeIndex.types[type]?.name ?? '', ...largestOverrun };
    }
  });
  return smallest;
}
