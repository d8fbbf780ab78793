import { HOSTNAME_LABEL } from '../../../model/labels.ts';
import { type PoolOption, findTypesHolding, type PodGroup } from '../../assignment/pod-groups.ts';
import { intersection, isEmptyBitset } from '../../data-structures/bitset.ts';
import { addTimes } from '../../data-structures/resource-vectors.ts';
import { allowanceOf, withinAllowance } from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { resolveMinValues } from '../../instance-types/min-values.ts';
import { settleReserved } from '../pack-reserved.ts';
import { commit, joining, sharedWith } from './joining.ts';
import { type Draft, discardDraft, emptyDraft, openDraft, startDrafting } from './packing-state.ts';

/**
 * One new node for all of the units, from the heaviest pool that has such a node; undefined if no
 * single node holds them.
 */
export function packOntoOne(problem: Problem, units: readonly PodGroup[]): Draft | undefined {
  const [first] = units;
  const pack = units.some(caresForHost) ? packUnitByUnit : packTogether;
  for (const option of first?.options ?? []) {
    const draft = pack(problem, units, option);
    if (draft) return settleReserved(draft, problem);
  }
  return undefined;
}

/** Whether other pods on the node matter: then the units have to be put on one after the other. */
const caresForHost = ({ cls, topology }: PodGroup): boolean =>
  cls.spec.hostPorts.length > 0 ||
  cls.spec.settled?.devices !== undefined ||
  topology.owned.some(({ group }) => group.key === HOSTNAME_LABEL) ||
  topology.barredBy.some(({ key }) => key === HOSTNAME_LABEL);

function packTogether(problem: Problem, units: readonly PodGroup[], option: PoolOption): Draft | undefined {
  const { pool, daemons, limited } = option.template;
  const draft = emptyDraft(option, problem);
  for (const unit of units) {
    const other = unit.options.find(({ template }) => template === option.template);
    const shared = other && sharedWith(draft, other);
    if (!shared) return undefined;
    Object.assign(draft, shared);
    addTimes(draft.used, unit.request, unit.count);
    draft.contents.set(unit, unit.count);
  }
  const offered = intersection(draft.types, problem.offerings.offered(draft.where));
  const holding = intersection(offered, findTypesHolding(daemons, draft.used, problem));
  if (isEmptyBitset(holding)) return undefined;

  const allowance = allowanceOf(pool, problem.poolUsage.get(pool.name), problem.columns);
  if (allowance.nodes < 1) return undefined;
  draft.types = limited ? withinAllowance(holding, allowance, undefined, problem) : holding;
  if (isEmptyBitset(draft.types)) return undefined;
  const minValues = resolveMinValues(option.template, draft.types, problem);
  return minValues && { ...draft, minValues };
}

function packUnitByUnit(
  problem: Problem,
  units: readonly PodGroup[],
  option: PoolOption,
): Draft | undefined {
  const drafting = startDrafting(problem);
  const draft = openDraft(drafting, option);
  if (!draft) return undefined;
  const all = units.every((unit) => {
    const copy = { ...unit };
    const joined = joining(drafting, draft, copy, copy.count);
    if (!joined || joined.room < copy.count) return false;
    commit(drafting, draft, copy, copy.count, joined);
    return true;
  });
  if (!all) discardDraft(drafting, draft);
  return all ? draft : undefined;
}
