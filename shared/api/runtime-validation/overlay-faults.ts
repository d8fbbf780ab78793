import { ownValue } from '../../model/own-value.ts';
import type { NodeOverlaySpec } from '../custom-resources/node-overlay.ts';
import type { FieldPath } from '../finding.ts';
import { createFault, type Fault } from './fault.ts';
import { listRequirementFaults } from './requirement-faults.ts';

/** Resources of instance types that need no overlay. */
const MODELLED: ReadonlySet<string> = new Set([
  'vpc.amazonaws.com/pod-eni',
  'vpc.amazonaws.com/efa',
  'aws.amazon.com/neuron',
  'aws.amazon.com/neuroncore',
  'habana.ai/gaudi',
]);

/** NO-R1: an overlay with such a fault is stored but not applied. */
export const listOverlayFaults = ({ requirements, capacity = {} }: NodeOverlaySpec): readonly Fault[] => [
  ...requirements.flatMap((requirement, index) =>
    listRequirementFaults('NO-R1', requirement, ['spec', 'requirements', index], {
      mayNamePool: true,
    }),
  ),
  ...Object.keys(capacity)
    .filter((name) => MODELLED.has(name))
    .map((name) =>
      createFault('NO-R1', ['spec', 'capacity', name], `${name} is known of instance types already`, 'take it out'),
    ),
];

export interface NamedOverlay {
  readonly name: string;
  readonly spec: NodeOverlaySpec;
}

/**
 * Finds overlays of equal weight and equal requirements that contradict each other. The one that is
 * processed second is not applied.
 */
export function findOverlayConflict({ name, spec }: NamedOverlay, others: readonly NamedOverlay[]): readonly Fault[] {
  const first = others.find(
    (other) =>
      // If weights are equal, the overlay with the later name is processed first.
      other.name > name &&
      (other.spec.weight ?? 0) === (spec.weight ?? 0) &&
      requirementText(other.spec) === requirementText(spec) &&
      contradicts(other.spec, spec),
  );
  if (!first) return [];
  const path: FieldPath = ['spec', 'weight'];
  const why = `${first.name} has the same weight and says something else of the same offerings`;
  return [createFault('Conflict', path, why, 'give them different weights')];
}

const requirementText = ({ requirements }: NodeOverlaySpec): string =>
  requirements
    .map(({ key, operator, values = [] }) => JSON.stringify([key, operator, values.toSorted()]))
    .toSorted()
    .join();

function contradicts(a: NodeOverlaySpec, b: NodeOverlaySpec): boolean {
  const price = ({ price: fixed, priceAdjustment }: NodeOverlaySpec) => fixed ?? priceAdjustment;
  const bothPrice = price(a) !== undefined && price(b) !== undefined;
  return (
    bothPrice ||
    Object.entries(a.capacity ?? {}).some(([name, amount]) => {
      const other = ownValue(b.capacity, name);
      return other !== undefined && `${other}` !== `${amount}`;
    })
  );
}
