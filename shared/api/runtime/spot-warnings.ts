import { CAPACITY_TYPE_LABEL } from '../../model/labels.ts';
import { toRequirements } from '../../model/requirements.ts';
import type { NodePoolSpec } from '../objects/node-pool.ts';
import { readRequirement } from '../requirement.ts';
import { type Fault, fault } from './fault.ts';
import type { RuntimeSettings } from './settings.ts';

/** With fewer, a shortage of a few types leaves nothing to launch, and spot ends more often. */
const FEWEST_SPOT_TYPES = 20;

/** A pool that asks for spot and leaves EC2 little choice. */
export function spotWarnings(
  { template }: NodePoolSpec,
  { spotTypesOf }: RuntimeSettings,
): readonly Fault[] {
  const { requirements } = template.spec;
  const index = requirements.findIndex(
    ({ key, operator, values }) =>
      key === CAPACITY_TYPE_LABEL && operator === 'In' && values?.includes('spot'),
  );
  if (index < 0 || !spotTypesOf) return [];
  const found = spotTypesOf(toRequirements(requirements.map(readRequirement)));
  if (found >= FEWEST_SPOT_TYPES) return [];
  return [
    fault(
      'spot',
      ['spec', 'template', 'spec', 'requirements', index],
      `${found} instance types are left for spot; ${FEWEST_SPOT_TYPES} or more are interrupted less`,
      'allow more families, generations or sizes',
    ),
  ];
}
