import type { Reason } from '../../model/explanations/reasons.ts';
import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { findNearestLabel } from '../../model/nearest-label.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { allowsValue, isIn, type Requirement } from '../../model/requirements/requirement.ts';
import { formatRequirement } from '../../model/requirements/requirement-specs.ts';
import { type Conflict, toRequirements } from '../../model/requirements/requirements.ts';
import { type Bitset, intersection, isEmptyBitset, overlaps } from '../data-structures/bitset.ts';
import type { Problem } from '../input/problem.ts';
import { type Narrowed, narrowTemplate } from '../instance-types/narrowing.ts';
import { createSubnetsFullReason, type NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import type { Relaxation } from '../pods/relaxations.ts';

export const hasNoScope = ({ where }: Narrowed): boolean => where.zones === 0 || where.capacityTypes === 0;

/**
 * Explains a conflict between what a pod requires of a label and what a NodePool or node provides.
 *
 * @param relaxation - pass it if the requirement may come from the pod's volumes
 */
export function createConflictReason(
  pool: string,
  { key, expected: requested, given: provided }: Conflict,
  problem: Problem,
  relaxation?: Relaxation,
): Reason {
  const required = formatRequested(key, requested, relaxation);
  if (!provided && isKnownLabel(key, problem)) {
    const fields = { pool, key, wanted: required, given: 'no such label' };
    return { code: 'requirement-conflict', fields };
  }
  if (!provided) {
    const similar = findNearestLabel(key);
    const fields = { pool, key, ...(similar ? { similar: `did you mean ${similar}` } : {}) };
    return { code: 'unknown-label', fields };
  }
  const fields = { pool, key, wanted: required, given: formatRequirement(provided) };
  return { code: 'requirement-conflict', fields };
}

/** A requirement that is not in the manifest comes from a volume. */
const formatRequested = (key: string, required: Requirement, relaxation: Relaxation | undefined) =>
  formatRequirement(required) + (relaxation && !relaxation.strict.has(key) ? ' for its volumes' : '');

/** True if any NodePool or node has the label, so that requiring it is no mistake. */
const isKnownLabel = (key: string, { nodeTemplates, existingNodes }: Problem): boolean =>
  nodeTemplates.some(({ requirements }) => requirements.has(key)) ||
  existingNodes.some(({ labels }) => ownValue(labels, key) !== undefined);

/** Finds the pod's requirement that leaves no type or offering of the NodePool. */
export function findRequirementReason(template: NodeClaimTemplate, relaxation: Relaxation, problem: Problem): Reason {
  const { requirements } = relaxation;
  const { typeIndex, offerings } = problem;
  const pool = template.pool.name;
  for (const [key, required] of requirements) {
    const narrowing = narrowTemplate(template, new Map([[key, required]]), typeIndex, offerings.zones);
    if (narrowing.outcome === 'conflict') {
      return createConflictReason(pool, narrowing.conflict, problem, relaxation);
    }
    if (!isEmptyBitset(narrowing.narrowed.types) && !hasNoScope(narrowing.narrowed)) continue;
    const subnets = findSubnetReason(template, { key, expected: required }, problem);
    if (subnets) return subnets;
    const allowed = template.requirements.get(key);
    const provided = allowed
      ? formatRequirement(allowed)
      : describeProvided(template, { key, expected: required }, problem);
    const fields = {
      pool,
      key,
      wanted: formatRequested(key, required, relaxation),
      given: provided,
    };
    return { code: 'requirement-conflict', fields };
  }
  const criteria = [...requirements].map(([key, required]) => `${key} ${formatRequirement(required)}`).join(', ');
  const fields = { pool, criteria, missing: 'all of them at once' };
  return { code: 'no-type-matches', fields };
}

/** Explains that the NodePool allows the zone but its NodeClass has no usable subnet there. */
export function findSubnetReason(
  { pool }: NodeClaimTemplate,
  { key, expected: required }: Pick<Conflict, 'key' | 'expected'>,
  { snapshot, offerings }: Problem,
): Reason | undefined {
  if (key !== ZONE_LABEL) return undefined;
  const subnets = ownValue(snapshot.zones, pool.name);
  const poolZones = toRequirements(pool.requirements).get(ZONE_LABEL);
  const isRequested = (zone: string): boolean =>
    allowsValue(required, zone) && (!poolZones || allowsValue(poolZones, zone));
  const full = ownValue(snapshot.fullZones, pool.name)?.filter(isRequested) ?? [];
  if (full.length > 0) return createSubnetsFullReason(pool, full);
  const zones = offerings.zones.filter(isRequested);
  if (!subnets || zones.length === 0) return undefined;
  const fields = {
    pool: pool.name,
    nodeClass: pool.nodeClass.name,
    zone: zones.join(', '),
    given: subnets.join(', '),
  };
  return { code: 'zone-without-subnet', fields };
}

/** Describes what a NodePool without a requirement on the key gives instead. */
function describeProvided(
  { pool, requirements }: NodeClaimTemplate,
  { key, expected }: Pick<Conflict, 'key' | 'expected'>,
  { snapshot, typeIndex, offerings }: Problem,
): string {
  if (key === ZONE_LABEL) return formatRequirement(isIn(...offerings.zones));
  if (key === CAPACITY_TYPE_LABEL) return formatRequirement(isIn(...CAPACITY_TYPES));
  const ofClass = ownValue(snapshot.instanceTypes, pool.name) ?? [];
  const matching = (one: string, requirement: Requirement): Bitset => typeIndex.matching(new Map([[one, requirement]]));
  const requested = intersection(typeIndex.ofList(ofClass), matching(key, expected));
  if (isEmptyBitset(requested)) return describeClassValues(pool, key, ofClass);
  const deciding = [...requirements].filter(([one]) => typeIndex.isDecidedByType(one));
  const excluding = deciding.filter(([one, given]) => !overlaps(requested, matching(one, given)));
  // Each of several requirements may exclude a part of the types.
  const named = excluding.length > 0 ? excluding.slice(0, 1) : deciding;
  return named.map(([one, given]) => `${one} ${formatRequirement(given)}`).join(' and ');
}

const MAX_LISTED_VALUES = 5;

/** The EC2NodeClass decides which types there are: its images have an architecture and a system. */
function describeClassValues(
  { nodeClass }: NodeClaimTemplate['pool'],
  key: string,
  types: readonly InstanceType[],
): string {
  const values = new Set(types.flatMap(({ labels, choices }) => ownValue(choices, key) ?? ownValue(labels, key) ?? []));
  const by = `the types of EC2NodeClass ${nodeClass.name}`;
  if (values.size === 0) return `no such label on ${by}`;
  return values.size > MAX_LISTED_VALUES
    ? `${values.size} other values, of ${by}`
    : `${formatRequirement(isIn(...[...values].toSorted()))}, of ${by}`;
}
