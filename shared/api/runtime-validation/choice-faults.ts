import { CAPACITY_TYPE_LABEL } from '../../model/labels.ts';
import { formatRequirementSpec, type RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { toRequirements } from '../../model/requirements/requirements.ts';
import type { NodePoolSpec } from '../custom-resources/node-pool.ts';
import type { FieldPath } from '../finding.ts';
import { readRequirement } from '../stored-objects/requirement.ts';
import { createFault, type Fault, type RuntimeSettings } from './fault.ts';

/**
 * With fewer types, a shortage of some leaves nothing to launch, and spot interruptions are more
 * frequent.
 */
const MIN_SPOT_TYPES = 20;

type CountTypes = NonNullable<RuntimeSettings['countTypes']>;

/** Warns of a pool whose requirements leave EC2 no choice, or little for spot capacity. */
export function listChoiceWarnings({ template }: NodePoolSpec, { countTypes }: RuntimeSettings): readonly Fault[] {
  if (!countTypes) return [];
  const requirements = template.spec.requirements.map(readRequirement);
  const excluding = findExcluding(requirements, countTypes);
  return excluding.length > 0 ? [noTypesFault(requirements, excluding)] : listSpotWarnings(requirements, countTypes);
}

/** Returns the positions of the fewest requirements that together leave no instance type. */
function findExcluding(requirements: readonly RequirementSpec[], countTypes: CountTypes): readonly number[] {
  const leaveNone = (positions: readonly number[]): boolean => {
    const some = requirements.filter((_, index) => positions.includes(index));
    return contradict(some) || countTypes(toRequirements(some), ANY_ONE) === 0;
  };
  const all = requirements.map((_, index) => index);
  if (!leaveNone(all)) return [];
  return all.reduce<readonly number[]>((kept, one) => {
    const others = kept.filter((index) => index !== one);
    return leaveNone(others) ? others : kept;
  }, all);
}

const ANY_ONE = { maxCount: 1, isSpot: false } as const;

/** True if a node would need a label with two values at once. */
const contradict = (requirements: readonly RequirementSpec[]): boolean =>
  [...Map.groupBy(requirements, ({ key }) => key).values()].some((same) => {
    if (same.some(({ operator }) => operator !== 'In')) return false;
    const lists = same.map(({ values = [] }) => values);
    return !lists[0]?.some((value) => lists.every((values) => values.includes(value)));
  });

function noTypesFault(requirements: readonly RequirementSpec[], excluding: readonly number[]): Fault {
  const texts = excluding.flatMap((index) => {
    const requirement = requirements[index];
    return requirement ? [`${requirement.key} ${formatRequirementSpec(requirement)}`] : [];
  });
  const isOne = texts.length === 1;
  return createFault(
    'no-types',
    pathOf(excluding.at(-1) ?? 0),
    `${texts.join(' and ')} ${isOne ? 'leaves' : 'together leave'} no instance type: the pool launches nothing`,
    isOne ? 'widen it, or take it out' : 'widen one of them, or take it out',
  );
}

const pathOf = (index: number): FieldPath => ['spec', 'template', 'spec', 'requirements', index];

function listSpotWarnings(requirements: readonly RequirementSpec[], countTypes: CountTypes): readonly Fault[] {
  const index = requirements.findIndex(
    ({ key, operator, values }) => key === CAPACITY_TYPE_LABEL && operator === 'In' && values?.includes('spot'),
  );
  if (index < 0) return [];
  const count = countTypes(toRequirements(requirements), {
    maxCount: MIN_SPOT_TYPES,
    isSpot: true,
  });
  if (count >= MIN_SPOT_TYPES) return [];
  return [
    createFault(
      'spot',
      pathOf(index),
      `${count} instance types are left for spot; ${MIN_SPOT_TYPES} or more are interrupted less`,
      'allow more families, generations or sizes',
    ),
  ];
}
