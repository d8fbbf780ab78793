import type { HostPort } from '../../model/pod.ts';
import type { Requirements } from '../../model/requirements.ts';
import { cheapestType } from '../packing/new-nodes/packing-state.ts';
import { typesHolding } from '../assignment/pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import { takenPort } from '../topology/host-rules.ts';
import { type Bitset, intersection, isEmptyBitset } from '../data-structures/bitset.ts';
import { unmetMinValues } from '../instance-types/min-values.ts';
import { atZone, whereAllowed } from '../instance-types/offering-scope.ts';
import type { MinValues, Template } from '../instance-types/node-claim-templates.ts';
import { addTimes, sum, type Vector } from '../data-structures/resource-vectors.ts';
import type { DomainCounts, Host } from './domain-counts.ts';
import type { RequirementPaths } from './requirement-paths.ts';
import type { Wish } from './wishes.ts';

/** What one run goes by. */
export interface Run {
  readonly problem: Problem;
  readonly counts: DomainCounts;
  readonly paths: RequirementPaths;
}

/** A node to be, open in all that no pod on it has settled. */
export interface Claim extends Host {
  readonly template: Template;
  requirements: Requirements;
  types: Bitset;
  minValues: readonly MinValues[];
  readonly used: Vector;
  readonly hostPorts: HostPort[];
  pods: number;
  /** What it has no room for, or cannot be: it only ever narrows. */
  readonly refused: Set<Wish>;
}

export const emptyClaim = (
  template: Template,
  types: Bitset,
  name: string,
  { columns, snapshot }: Problem,
): Claim => ({
  name,
  taints: template.pool.taints,
  template,
  requirements: template.requirements,
  types,
  // With best effort, as much of them is asked as the first pod leaves.
  minValues: snapshot.settings?.minValuesPolicy === 'BestEffort' ? [] : template.minValues,
  used: new Float64Array(columns.names.length),
  hostPorts: [],
  pods: 0,
  refused: new Set(),
});

/** What is left of a claim once a pod has joined it. */
export type Rest = Pick<Claim, 'requirements' | 'types'>;

/** What would be left of the claim with the pod on it; undefined: it does not take it. */
export function restOf(claim: Claim, wish: Wish, run: Run): Rest | undefined {
  if (claim.refused.has(wish)) return undefined;
  const own = restOfItself(claim, wish, run);
  if (own) return amongNeighbours(claim, wish, own, run);
  claim.refused.add(wish);
  return undefined;
}

/** The same as far as no other pod's whereabouts matter. */
function restOfItself(claim: Claim, wish: Wish, { problem, paths }: Run): Rest | undefined {
  const { template, types, used, hostPorts } = claim;
  const { spec } = wish.cls;
  if (!wish.templates.includes(template) || takenPort(spec.hostPorts, hostPorts)) return undefined;
  const requirements = paths.narrow(claim.requirements, wish.alternative.requirements);
  if (!requirements) return undefined;
  const holding = typesHolding(template.daemons, sum(used, wish.request), problem, spec);
  return narrowed(claim, requirements, intersection(types, holding), { problem, paths });
}

function amongNeighbours(claim: Claim, wish: Wish, own: Rest, run: Run): Rest | undefined {
  const { counts, paths } = run;
  const domains = counts.domainsFor(wish, { ...claim, requirements: own.requirements });
  let requirements = domains && own.requirements;
  for (const [key, values] of domains ?? []) {
    requirements = requirements && paths.narrow(requirements, paths.oneOf(key, values));
  }
  if (requirements === own.requirements) return own;
  return requirements && narrowed(claim, requirements, own.types, run);
}

function narrowed(
  { template, minValues }: Claim,
  requirements: Requirements,
  among: Bitset,
  { problem, paths }: Pick<Run, 'problem' | 'paths'>,
): Rest | undefined {
  const types = intersection(among, paths.openTo(requirements, template).types);
  if (isEmptyBitset(types)) return undefined;
  return unmetMinValues(template, types, problem, minValues) ? undefined : { requirements, types };
}

export function put(claim: Claim, wish: Wish, rest: Rest, { counts }: Run): void {
  claim.requirements = rest.requirements;
  claim.types = rest.types;
  addTimes(claim.used, wish.request, 1);
  claim.hostPorts.push(...wish.cls.spec.hostPorts);
  claim.pods += 1;
  counts.record(wish, claim);
}

/** Of the cheapest offering that is left to it, in USD per hour. */
export function priceOf({ requirements, template, types }: Claim, { problem, paths }: Run): number {
  const { where } = paths.openTo(requirements, template);
  return cheapestType({ types, where }, problem).hourlyUsd;
}

/** The zone of that offering. */
export function cheapestZone(
  { requirements, template, types }: Claim,
  problem: Problem,
): string | undefined {
  const { zones } = problem.offerings;
  const where = whereAllowed(requirements, template.where, zones);
  const usd = zones.map((_, bit) => {
    const here = atZone(where, bit);
    return cheapestType({ types, where: here }, problem).hourlyUsd;
  });
  return zones[usd.indexOf(Math.min(...usd))];
}
