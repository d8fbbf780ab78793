import { describe, expect, it } from 'vitest';
import { computeEvictionCost } from '../../shared/disruption/disruption-cost.ts';
import { DISRUPTION_COST_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../../shared/model/labels.ts';
import { aPod } from '../support/builders.ts';

const costOf = (disruption: string | undefined, deletion?: string): number =>
  computeEvictionCost(
    aPod({
      annotations: {
        ...(disruption !== undefined && { [DISRUPTION_COST_ANNOTATION]: disruption }),
        ...(deletion !== undefined && { [POD_DELETION_COST_ANNOTATION]: deletion }),
      },
    }),
  );

describe('the eviction cost of a pod', () => {
  it.each([
    ['no annotation', undefined, undefined, 1],
    ['a disruption cost', '134217728', undefined, 2],
    ['a negative disruption cost', '-134217728', undefined, 0],
    ['the largest disruption cost, clamped', '2147483647', undefined, 10],
    ['a deletion cost', undefined, '134217728', 2],
    ['both, of which the disruption cost counts', '134217728', '-134217728', 2],
    ['a disruption cost of 0 beside a deletion cost', '0', '134217728', 1],
    ['a disruption cost that is no whole number', '1e9', '134217728', 1],
    ['a disruption cost of more than 32 bits', '2147483648', undefined, 1],
    ['an empty disruption cost', '', '134217728', 1],
  ])('comes from %s', (_, disruption, deletion, expected) => {
    expect(costOf(disruption, deletion)).toBe(expected);
  });
});
