import { ACTIVE_CAPACITY, type CapacityBufferSpec } from '../custom-resources/capacity-buffer.ts';
import { createFault, type Fault } from './fault.ts';

const SCALABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet']);

/** CB-R1: the pods of the buffer cannot be determined. */
export function listBufferFaults({ podTemplateRef, scalableRef }: CapacityBufferSpec): readonly Fault[] {
  if (!podTemplateRef && !scalableRef) {
    return [createFault('CB-R1', ['spec'], 'nothing says what its pods are like', 'add podTemplateRef')];
  }
  const { apiGroup = '', kind = '' } = scalableRef ?? {};
  return scalableRef && !((apiGroup === '' || apiGroup === 'apps') && SCALABLE.has(kind))
    ? [
        createFault(
          'CB-R1',
          ['spec', 'scalableRef', 'kind'],
          `${kind} of ${apiGroup || 'apps'} cannot be followed`,
          `write one of ${[...SCALABLE].join(', ')}`,
        ),
      ]
    : [];
}

/** Lists settings that work differently from what they suggest. */
export const listBufferWarnings = ({
  provisioningStrategy,
  percentage,
  scalableRef,
}: CapacityBufferSpec): readonly Fault[] => [
  ...(provisioningStrategy === ACTIVE_CAPACITY
    ? []
    : [
        createFault(
          'provisioningStrategy',
          ['spec', 'provisioningStrategy'],
          'no other strategy is acted on',
          `write ${ACTIVE_CAPACITY}, or take it out`,
        ),
      ]),
  ...(percentage !== undefined && !scalableRef
    ? [
        createFault(
          'percentage',
          ['spec', 'percentage'],
          'without scalableRef there is nothing to take a share of',
          'write replicas',
        ),
      ]
    : []),
];
