import { CAPACITY_TYPE_LABEL, normaliseLabelKey } from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { toRequirements } from '../../model/requirements/requirements.ts';
import { findTypesHolding } from '../assignment/pod-groups.ts';
import { type Bitset, intersection, overlaps } from '../data-structures/bitset.ts';
import { toVector } from '../data-structures/resource-vectors.ts';
import { type Problem, prepare } from '../input/problem.ts';
import { narrowScope } from '../instance-types/offering-scope.ts';
import { listFullyRelaxed } from '../pods/relaxations.ts';
import { solve } from '../search/solve.ts';
import { excludeKinds, listMissingKinds } from './added-kinds.ts';
import {
  describeValues,
  type FixProposal,
  type FixProposer,
  findCheapestLabelValue,
  KEPT_LABELS,
  withPool,
} from './fix-proposal.ts';
import { isWidenable, widenRequirement } from './widen-requirement.ts';

/** More changes at once would be another NodePool. */
const MAX_WIDENED = 3;
/** Combinations of the same number of requirements that are tried. */
const MAX_COMBINATIONS = 3;

/**
 * Widens the fewest requirements of the NodePool that together leave out every type for the pods. Sets of types
 * show which ones: only these are tried by planning. What else refuses the pods (limits, hours) is left for other
 * changes.
 */
export const proposeWiderTogether: FixProposer = (pool, _, pods, before) => {
  const kept = excludeKinds(listMissingKinds(pool, pods, before));
  const proposals = proposeWith(kept, pool, pods, before);
  return proposals.length > 0 || kept.length === 0 ? proposals : proposeWith([], pool, pods, before);
};

function proposeWith(
  kept: readonly RequirementSpec[],
  pool: NodePool,
  pods: readonly Pod[],
  { snapshot, work }: Problem,
): FixProposal[] {
  const [pod] = pods;
  if (!pod) return [];
  const requestedKeys = new Set(listFullyRelaxed(pod.spec).flatMap(({ requirements }) => [...requirements.keys()]));
  const widenable = pool.requirements.flatMap((requirement, index) => {
    const key = normaliseLabelKey(requirement.key);
    return isWidenable(requirement) && (!KEPT_LABELS.has(key) || requestedKeys.has(key)) ? [index] : [];
  });
  const prepareWithout = (dropped: readonly number[]): Problem => {
    const rest = pool.requirements.filter((_, index) => !dropped.includes(index));
    const { hours: _, ...unlimited } = { ...pool, requirements: [...rest, ...kept], limits: {} };
    return prepare(withPool(snapshot, unlimited), work);
  };
  const open = prepareWithout(widenable);
  // Rules between pods are left for other changes too.
  const spec = { ...pod.spec, topologySpread: [], podAffinity: [], podAntiAffinity: [] };
  const alone = pods.map((one) => ({ ...one, spec }));
  const combinations = findCombinations(pool, widenable, pod, open).slice(0, MAX_COMBINATIONS);
  return combinations.flatMap((combination) => {
    const problem = prepareWithout(combination);
    const nodes = solve(problem, alone).newNodes.filter(({ template }) => template.pool.name === pool.name);
    const changes = combination.flatMap((index) => {
      const present = pool.requirements[index];
      const key = normaliseLabelKey(present?.key ?? '');
      const values = nodes
        .flatMap((one) => findCheapestLabelValue(one, key, problem))
        .filter((value) => key !== CAPACITY_TYPE_LABEL || value !== 'spot' || requestedKeys.has(key));
      const wider = present && widenRequirement(present, values);
      return present && wider ? [{ index, present, values: wider }] : [];
    });
    const [first, ...others] = changes.map(({ index, present, values }) =>
      describeValues(pool, index, present, values),
    );
    if (!first) return [];
    const requirements = changes.reduce<NodePool['requirements']>(
      (all, { index, present, values }) => all.with(index, { ...present, values }),
      pool.requirements,
    );
    return [
      {
        ...first,
        ...(others.length > 0 && { and: others }),
        snapshot: withPool(snapshot, { ...pool, requirements }),
        pods,
      },
    ];
  });
}

/** Finds the smallest sets of requirements without which some type that is offered holds the pod. */
function findCombinations(
  pool: NodePool,
  widenable: readonly number[],
  { spec }: Pod,
  open: Problem,
): readonly (readonly number[])[] {
  const template = open.nodeTemplates.find((one) => one.pool.name === pool.name);
  if (!template) return [];
  const { typeIndex, offerings } = open;
  const holding = findTypesHolding(template.daemons, toVector(open.columns, spec.requests), open, spec);
  const suitable = intersection(template.types, holding);
  const leavesTypes = (dropped: readonly number[]): boolean => {
    const rest = toRequirements(pool.requirements.filter((_, index) => !dropped.includes(index)));
    return listFullyRelaxed(spec).some(({ requirements }) => {
      const types = [rest, requirements].reduce<Bitset>(
        (all, one) => intersection(all, typeIndex.matching(one)),
        suitable,
      );
      const where = [rest, requirements].reduce(
        (scope, one) => narrowScope(one, scope, offerings.zones),
        template.where,
      );
      return overlaps(types, offerings.offered(where));
    });
  };
  for (let size = 1; size <= Math.min(MAX_WIDENED, widenable.length); size++) {
    const sufficient = listSubsets(widenable, size).filter(leavesTypes);
    if (sufficient.length > 0) return sufficient;
  }
  return [];
}

function listSubsets(all: readonly number[], size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return all.flatMap((first, index) => listSubsets(all.slice(index + 1), size - 1).map((others) => [first, ...others]));
}
