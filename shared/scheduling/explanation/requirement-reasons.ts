import { CAPACITY_TYPE_LABEL, similarWellKnownLabel, ZONE_LABEL } from '../../model/labels.ts';
import type { Reason } from '../../model/reasons.ts';
import { allowsValue, isIn, type Requirement } from '../../model/requirement.ts';
import { formatRequirement } from '../../model/requirement-specs.ts';
import { type Conflict, toRequirements } from '../../model/requirements.ts';
import { type Narrowed, narrowTemplate } from '../instance-types/narrowing.ts';
import type { Alternative } from '../pods/relaxations.ts';
import type { Problem } from '../input/problem.ts';
import { isEmptyBitset } from '../data-structures/bitset.ts';
import { CAPACITY_TYPES } from '../instance-types/price-table.ts';
import { subnetsFull, type Template } from '../instance-types/node-claim-templates.ts';

export const noPlace = ({ where }: Narrowed): boolean =>
  where.zones === 0 || where.capacityTypes === 0;

/**
 * What a pod asks of a label, against what a pool or a node gives.
 *
 * @param alternative - of the pod; absent: what it asks stands in its manifest
 */
export function conflictReason(
  pool: string,
  { key, wanted: asked, given }: Conflict,
  problem: Problem,
  alternative?: Alternative,
): Reason {
  const wanted = wantedText(key, asked, alternative);
  if (!given && isKnown(key, problem)) {
    const fields = { pool, key, wanted, given: 'no such label' };
    return { code: 'requirement-conflict', fields };
  }
  if (!given) {
    const similar = similarWellKnownLabel(key);
    const fields = { pool, key, ...(similar ? { similar: `did you mean ${similar}` } : {}) };
    return { code: 'unknown-label', fields };
  }
  const fields = { pool, key, wanted, given: formatRequirement(given) };
  return { code: 'requirement-conflict', fields };
}

/** Where the manifest says nothing of a label it is a volume of the pod that asks for it. */
const wantedText = (key: string, wanted: Requirement, alternative: Alternative | undefined) =>
  formatRequirement(wanted) +
  (alternative && !alternative.strict.has(key) ? ' for its volumes' : '');

/** Whether any pool or node has the label: then it is no mistake to ask for it. */
const isKnown = (key: string, { templates, bins }: Problem): boolean =>
  templates.some(({ requirements }) => requirements.has(key)) ||
  bins.some(({ labels }) => labels[key] !== undefined);

/** Which of the pod's requirements leaves nothing of the pool. */
export function requirementReason(
  template: Template,
  alternative: Alternative,
  problem: Problem,
): Reason {
  const { requirements } = alternative;
  const { index, offerings } = problem;
  const pool = template.pool.name;
  for (const [key, wanted] of requirements) {
    const alone = narrowTemplate(template, new Map([[key, wanted]]), index, offerings.zones);
    if (alone.outcome === 'conflict') {
      return conflictReason(pool, alone.conflict, problem, alternative);
    }
    if (!isEmptyBitset(alone.narrowed.types) && !noPlace(alone.narrowed)) continue;
    const subnets = subnetReason(template, { key, wanted }, problem);
    if (subnets) return subnets;
    const allowed = template.requirements.get(key);
    const given = allowed ? formatRequirement(allowed) : everythingOf(key, offerings.zones);
    const fields = { pool, key, wanted: wantedText(key, wanted, alternative), given };
    return { code: 'requirement-conflict', fields };
  }
  const criteria = [...requirements]
    .map(([key, wanted]) => `${key} ${formatRequirement(wanted)}`)
    .join(', ');
  const fields = { pool, criteria, missing: 'all of them at once' };
  return { code: 'no-type-matches', fields };
}

/** The pool would allow such a zone; it is its NodeClass that has no subnet there. */
export function subnetReason(
  { pool }: Template,
  { key, wanted }: Pick<Conflict, 'key' | 'wanted'>,
  { snapshot, offerings }: Problem,
): Reason | undefined {
  if (key !== ZONE_LABEL) return undefined;
  const subnets = snapshot.zones?.[pool.name];
  const ofPool = toRequirements(pool.requirements).get(ZONE_LABEL);
  const isWanted = (zone: string): boolean =>
    allowsValue(wanted, zone) && (!ofPool || allowsValue(ofPool, zone));
  const full = snapshot.fullZones?.[pool.name]?.filter(isWanted) ?? [];
  if (full.length > 0) return subnetsFull(pool, full);
  const zones = offerings.zones.filter(isWanted);
  if (!subnets || zones.length === 0) return undefined;
  const fields = {
    pool: pool.name,
    nodeClass: pool.nodeClass.name,
    zone: zones.join(', '),
    given: subnets.join(', '),
  };
  return { code: 'zone-without-subnet', fields };
}

/** What a pool without a requirement of its own can give. */
function everythingOf(key: string, zones: readonly string[]): string {
  if (key === ZONE_LABEL) return formatRequirement(isIn(...zones));
  if (key === CAPACITY_TYPE_LABEL) return formatRequirement(isIn(...CAPACITY_TYPES));
  return 'only values that instance types have';
}
