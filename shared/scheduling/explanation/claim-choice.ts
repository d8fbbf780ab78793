import type { ClaimChoice } from '../../model/plans.ts';
import { cheapestType, type Draft } from '../packing/new-nodes/packing-state.ts';
import { type Option, typesHolding, type Unit } from '../assignment/pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import { type Bitset, intersection, keepOnly, sizeOfBitset } from '../data-structures/bitset.ts';
import { atZone } from '../instance-types/offering-scope.ts';
import type { Template } from '../instance-types/node-claim-templates.ts';

/** Nobody reads about more. */
const MOST_RIVALS = 3;

/** Why a planned node is of this pool, of these types, in this zone. */
export function claimChoice(draft: Draft, problem: Problem): ClaimChoice {
  const units = [...draft.contents.keys()];
  const suiting = typesFor(units, draft.template, problem.index.none);
  return {
    weight: draft.template.pool.weight,
    pools: rivalsOf(draft, units, problem),
    types: { suiting: sizeOfBitset(suiting), open: sizeOfBitset(draft.types) },
    zones: zonesOf(draft, problem),
    pinnedTo: pinsOf(units),
  };
}

function pinsOf(units: readonly Unit[]): string[] {
  const domains = new Set<string>();
  for (const { pins } of units) for (const domain of pins.values()) domains.add(domain);
  return [...domains].toSorted();
}

const optionOf = ({ options }: Unit, template: Template): Option | undefined =>
  options.find((option) => option.template === template);

function typesFor(units: readonly Unit[], template: Template, none: Option['types']): Bitset {
  const types = template.types.slice();
  for (const unit of units) keepOnly(types, optionOf(unit, template)?.types ?? none);
  return types;
}

/** Other pools that could launch one node for all of the pods, heaviest and then cheapest first. */
function rivalsOf(draft: Draft, units: readonly Unit[], problem: Problem): ClaimChoice['pools'] {
  return problem.templates
    .filter((template) => template !== draft.template)
    .map((template) => {
      const holding = typesHolding(template.daemons, draft.used, problem);
      const types = intersection(typesFor(units, template, problem.index.none), holding);
      const { hourlyUsd } = cheapestType({ types, where: whereForAll(units, template) }, problem);
      return { pool: template.pool.name, weight: template.pool.weight, hourlyUsd };
    })
    .filter(({ hourlyUsd }) => hourlyUsd < Infinity)
    .toSorted((a, b) => b.weight - a.weight || a.hourlyUsd - b.hourlyUsd)
    .slice(0, MOST_RIVALS);
}

const whereForAll = (units: readonly Unit[], template: Template): Template['where'] =>
  units
    .flatMap((unit) => optionOf(unit, template)?.where ?? [])
    .reduce(
      (a, b) => ({
        zones: a.zones & b.zones,
        capacityTypes: a.capacityTypes & b.capacityTypes,
      }),
      template.where,
    );

function zonesOf({ types, where }: Draft, problem: Problem): ClaimChoice['zones'] {
  const { zones } = problem.offerings;
  return zones
    .map((zone, bit) => {
      const there = atZone(where, bit);
      return { zone, hourlyUsd: cheapestType({ types, where: there }, problem).hourlyUsd };
    })
    .filter(({ hourlyUsd }) => hourlyUsd < Infinity)
    .toSorted((a, b) => a.hourlyUsd - b.hourlyUsd || (a.zone < b.zone ? -1 : 1));
}
