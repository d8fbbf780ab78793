import {
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  type Labels,
  REGISTERED_LABEL,
  RESERVATION_LABELS,
  WELL_KNOWN_LABELS,
  ZONE_LABEL,
} from '../../model/labels.ts';
import { allowsValue, type Requirement } from '../../model/requirements/requirement.ts';
import { type RequirementSpec, toRequirementSpecs } from '../../model/requirements/requirement-specs.ts';
import { intersection, listBits, overlaps, without } from '../data-structures/bitset.ts';
import type { Problem } from '../input/problem.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import type { LaunchOptions } from './launch-options.ts';

/**
 * Requires the reservations by their labels: the plan's price rests on these reservations. As in
 * Karpenter, the kinds that a pod selects are part of the claim.
 */
function createReservationRequirements({ types }: NewNode, { reservations, typeIndex }: Problem): RequirementSpec[] {
  if (!reservations) return [];
  const reserved = without(reservations.types, reservations.committed);
  if (!overlaps(types, reserved)) return [];
  const labels = listBits(intersection(types, reserved)).map((type) => typeIndex.types[type]?.labels ?? {});
  return RESERVATION_LABELS.map((key) => ({
    key,
    operator: 'In',
    values: [...new Set(labels.flatMap((ofType) => ofType[key] ?? []))],
  }));
}

/** Labels that exist only while planning and are not written to a claim. */
const INTERNAL: ReadonlySet<string> = new Set([REGISTERED_LABEL, INITIALIZED_LABEL]);

export function buildClaimRequirements(
  newNode: NewNode,
  { instanceTypes, where }: LaunchOptions,
  problem: Problem,
): RequirementSpec[] {
  const { custom, template } = newNode;
  const { typeIndex } = problem;
  const minValuesByKey = new Map(newNode.minValues.map(({ key, count }) => [key, count]));
  const toInRequirement = (key: string, values: readonly string[]): RequirementSpec => {
    const minValues = minValuesByKey.get(key);
    // The API rejects a requirement with more minValues than values.
    const minValuesSpec = minValues === undefined ? {} : { minValues: Math.min(minValues, values.length) };
    return { key, operator: 'In', values, ...minValuesSpec };
  };
  const reservation = createReservationRequirements(newNode, problem);
  const reservedKeys = new Set([INSTANCE_TYPE_LABEL, ...reservation.map(({ key }) => key)]);
  const openRequirements = [...template.requirements].filter(
    ([key]) => typeIndex.isDecidedByType(key) && !custom.has(key) && !reservedKeys.has(key),
  );
  return [
    ...[...openRequirements, ...custom]
      .filter(([key]) => !INTERNAL.has(key))
      .flatMap(([key, requirement]) => toRequirementSpecs(key, withMinValues(minValuesByKey.get(key), requirement))),
    toInRequirement(ZONE_LABEL, where.zones),
    toInRequirement(CAPACITY_TYPE_LABEL, where.capacityTypes),
    ...reservation,
    toInRequirement(INSTANCE_TYPE_LABEL, instanceTypes),
  ];
}

const withMinValues = (minValues: number | undefined, requirement: Requirement): Requirement =>
  minValues === undefined ? requirement : { ...requirement, minValues };

/**
 * Chooses a value for each custom label key, so that the node carries the labels that its pods
 * select.
 */
export function createCustomLabels({ custom, template }: NewNode): Labels {
  const labels: Record<string, string> = {};
  for (const [key, requirement] of custom) {
    // For a key that the pool does not define, pods can only require that it is absent or has
    // another value.
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
