import type { Option } from '../../assignment/pod-groups.ts';
import { isEmptyBitset } from '../../data-structures/bitset.ts';
import { addTimes } from '../../data-structures/resource-vectors.ts';
import {
  type Allowance,
  allowanceOf,
  capacityAtMost,
  withinAllowance,
} from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { minValuesOf } from '../../instance-types/min-values.ts';
import type { Template } from '../../instance-types/node-claim-templates.ts';
import type { Draft, Drafting } from '../../packing/new-nodes/packing-state.ts';
import { isTooLight } from '../../packing/new-nodes/spare-room.ts';

/**
 * How many pods are on nodes of a pool although a heavier one would open a node for any of those
 * that are there: its limits allow it even if each of its nodes becomes the largest that it may.
 */
export function podsTooLight(drafting: Drafting): number {
  const light = drafting.drafts.filter(isTooLight);
  if (light.length === 0) return 0;
  const couldOpen = openingsOf(drafting);
  return light
    .filter((draft) => hasHeavier(draft, couldOpen))
    .flatMap(({ contents }) => [...contents.values()])
    .reduce((total, pods) => total + pods, 0);
}

type CouldOpen = (option: Option) => boolean;

/** Whether one pool of more weight is open to every pod of the draft. */
function hasHeavier({ template, contents }: Draft, couldOpen: CouldOpen): boolean {
  const [first = [], ...others] = [...contents.keys()].map(({ options }) =>
    options.filter((option) => option.template.pool.weight > template.pool.weight),
  );
  const isOpenTo = (options: readonly Option[], heavier: Template): boolean =>
    options.some((option) => option.template === heavier && couldOpen(option));
  return first.some(
    (option) => couldOpen(option) && others.every((options) => isOpenTo(options, option.template)),
  );
}

/** Which options open one node more, beside all drafts that there are. */
function openingsOf(drafting: Drafting): CouldOpen {
  const { problem, allowances } = drafting;
  const left = new Map<string, Allowance>();
  const leftOf = ({ pool }: Template): Allowance => {
    const known = left.get(pool.name) ?? allowanceBeside(drafting, pool, problem);
    left.set(pool.name, known);
    return known;
  };
  return ({ template, types }) => {
    const allowance = allowances.has(template.pool.name) ? leftOf(template) : undefined;
    if (!allowance) return minValuesOf(template, types, problem) !== undefined;
    if (allowance.nodes < 1) return false;
    const within = withinAllowance(types, allowance, undefined, problem);
    return !isEmptyBitset(within) && minValuesOf(template, within, problem) !== undefined;
  };
}

/** Counted anew: what drafts are charged does not become less when they get smaller types. */
function allowanceBeside(
  { drafts }: Drafting,
  pool: Template['pool'],
  problem: Problem,
): Allowance {
  const allowance = allowanceOf(pool, problem.usage.get(pool.name), problem.columns);
  for (const { template, types } of drafts) {
    if (template.pool.name !== pool.name) continue;
    addTimes(allowance.left, capacityAtMost(types, problem), -1);
    allowance.nodes -= 1;
  }
  return allowance;
}
