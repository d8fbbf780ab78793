import {
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  type Labels,
  REGISTERED_LABEL,
  RESERVATION_ID_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_LABEL,
} from '../../model/labels.ts';
import { allowsValue, type Requirement } from '../../model/requirements/requirement.ts';
import {
  type RequirementSpec,
  toRequirementSpecs,
} from '../../model/requirements/requirement-specs.ts';
import { bitsOf, intersection, overlaps } from '../data-structures/bitset.ts';
import type { Problem } from '../input/problem.ts';
import { type NewNode } from '../packing/new-nodes/new-node.ts';
import type { LaunchOptions } from './launch-options.ts';

/** Reserved capacity is asked for by name: the plan counts on this reservation, and no other. */
function createReservationRequirement(
  { types }: NewNode,
  { reservations }: Problem,
): RequirementSpec[] {
  if (!reservations || !overlaps(types, reservations.types)) return [];
  const ids = bitsOf(intersection(types, reservations.types)).map(reservations.idOf);
  return [{ key: RESERVATION_ID_LABEL, operator: 'In', values: [...new Set(ids)] }];
}

/** Only known while planning: no claim is written with them. */
const INTERNAL: ReadonlySet<string> = new Set([REGISTERED_LABEL, INITIALIZED_LABEL]);

export function buildClaimRequirements(
  newNode: NewNode,
  { instanceTypes, where }: LaunchOptions,
  problem: Problem,
): RequirementSpec[] {
  const { custom, template } = newNode;
  const { typeIndex } = problem;
  const minValuesByKey = new Map(newNode.minValues.map(({ key, count }) => [key, count]));
  const oneOf = (key: string, values: readonly string[]): RequirementSpec => {
    const minValues = minValuesByKey.get(key);
    // No requirement may ask for more values than it lists.
    const minValuesSpec =
      minValues === undefined ? {} : { minValues: Math.min(minValues, values.length) };
    return { key, operator: 'In', values, ...minValuesSpec };
  };
  const reservation = createReservationRequirement(newNode, problem);
  const reservedKeys = new Set([INSTANCE_TYPE_LABEL, ...reservation.map(({ key }) => key)]);
  const openRequirements = [...template.requirements].filter(
    ([key]) => typeIndex.isDecidedByType(key) && !custom.has(key) && !reservedKeys.has(key),
  );
  return [
    ...[...openRequirements, ...custom]
      .filter(([key]) => !INTERNAL.has(key))
      .flatMap(([key, requirement]) =>
        toRequirementSpecs(key, withMinValues(minValuesByKey.get(key), requirement)),
      ),
    oneOf(ZONE_LABEL, where.zones),
    oneOf(CAPACITY_TYPE_LABEL, where.capacityTypes),
    ...reservation,
    oneOf(INSTANCE_TYPE_LABEL, instanceTypes),
  ];
}

const withMinValues = (minValues: number | undefined, requirement: Requirement): Requirement =>
  minValues === undefined ? requirement : { ...requirement, minValues };

/** A value for each key of the user's own, so that the node will really carry what pods selected. */
export function createCustomLabels({ custom, template }: NewNode): Labels {
  const labels: Record<string, string> = {};
  for (const [key, requirement] of custom) {
    // Of a key that the pool does not have, pods only ever ask that it be absent or not this value.
    if (!template.claimRequirements.has(key)) continue;
    if (WELL_KNOWN_LABELS.has(key) || INTERNAL.has(key)) continue;
    const value = pickValue(requirement);
    if (value !== undefined) labels[key] = value;
  }
  return labels;
}

function pickValue(requirement: Requirement): string | undefined {
  const { complement, values, gte, lte } = requirement;
  if (!complement) return [...values].toSorted()[0];
  const start = gte ?? Math.min(0, lte ?? 0);
  for (let candidate = start; candidate <= (lte ?? start + values.size); candidate++) {
    if (allowsValue(requirement, `${candidate}`)) return `${candidate}`;
  }
  return undefined;
}
