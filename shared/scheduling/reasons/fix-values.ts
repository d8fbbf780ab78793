import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { CAPACITY_TYPE_LABEL, normaliseLabelKey, ZONE_LABEL } from '../../model/labels.ts';
import type { NodePool } from '../../model/node-pool.ts';
import type { Fix } from '../../model/plans.ts';
import type { Pod } from '../../model/pod.ts';
import type { Reason } from '../../model/reasons.ts';
import type { RequirementSpec } from '../../model/requirements.ts';
import { cheapestType, type Draft } from '../packing/drafts.ts';
import { alternativesOf } from '../pods/alternatives.ts';
import { type Problem, prepare } from '../problem.ts';
import { solve } from '../solve.ts';

/** A change to one field of one object, and the world with it made. */
export interface Proposal extends Omit<Fix, 'hourlyUsd'> {
  readonly snapshot: ClusterSnapshot;
  readonly pods: readonly Pod[];
}

/** Adds to an In of the pool what the pod asks for. */
export function widen(
  pool: NodePool,
  { fields }: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): Proposal[] {
  const wanted = valuesAsked(pods, fields.key ?? '');
  const index = pool.requirements.findIndex(
    ({ key, operator }) => operator === 'In' && normaliseLabelKey(key) === fields.key,
  );
  return allowing(pool, index, wanted, pods, snapshot);
}

function valuesAsked([pod]: readonly Pod[], key: string): readonly string[] {
  if (!pod) return [];
  for (const { requirements } of alternativesOf(pod.spec)) {
    const asked = requirements.get(key);
    if (asked && !asked.complement) return [...asked.values];
  }
  return [];
}

/** Adds to each In of the pool, one at a time, what the pods would take if it were not there. */
export const allowCheapest = (
  pool: NodePool,
  _: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): Proposal[] =>
  pool.requirements.flatMap(({ key, operator }, index) => {
    if (operator !== 'In') return [];
    const open = { ...pool, requirements: pool.requirements.toSpliced(index, 1) };
    const problem = prepare(withPool(snapshot, open));
    const { drafts } = solve(problem, pods);
    const own = drafts.filter(({ template }) => template.pool.name === pool.name);
    const values = own.flatMap((draft) => labelOf(draft, normaliseLabelKey(key), problem));
    return allowing(pool, index, values, pods, snapshot);
  });

/** What the cheapest node of the draft has for the label. */
function labelOf(draft: Draft, key: string, problem: Problem): string[] {
  const { index, offerings } = problem;
  const { type } = cheapestType(draft, problem);
  const offering = offerings.cheapest(type, draft.where);
  if (key === ZONE_LABEL) return offering ? [offering.zone] : [];
  if (key === CAPACITY_TYPE_LABEL) return offering ? [offering.capacityType] : [];
  const value = index.types[type]?.labels[key];
  return value === undefined ? [] : [value];
}

function allowing(
  pool: NodePool,
  index: number,
  wanted: readonly string[],
  pods: readonly Pod[],
  snapshot: ClusterSnapshot,
): Proposal[] {
  const present = pool.requirements[index];
  const known = present?.values ?? [];
  const values = [...new Set([...known, ...wanted])];
  if (!present || values.length === known.length) return [];
  const requirements: RequirementSpec[] = pool.requirements.with(index, { ...present, values });
  return [
    {
      kind: 'allow-values',
      object: `NodePool/${pool.name}`,
      path: `spec.template.spec.requirements[${index}].values`,
      from: `[${known.join(', ')}]`,
      to: `[${values.join(', ')}]`,
      snapshot: withPool(snapshot, { ...pool, requirements }),
      pods,
    },
  ];
}

export const withPool = (snapshot: ClusterSnapshot, pool: NodePool): ClusterSnapshot => ({
  ...snapshot,
  pools: snapshot.pools.map((one) => (one.name === pool.name ? pool : one)),
});
