import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INSTANCE_TYPE_LABEL } from '../../../shared/model/labels.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aNodePool, aPodSpec, aSnapshot, aTypeOf, offeringsOf, podsOf, resources } from '../../support/builders.ts';

const TYPES = [
  aTypeOf('m7i.large', 2, 8),
  aTypeOf('m7i.4xlarge', 16, 64),
  aTypeOf('m7i.metal-24xl', 96, 384),
  aTypeOf('c7g.metal', 64, 128),
];

/** Bare metal costs a fraction of the others for each CPU. */
const OFFERINGS = [
  ...offeringsOf('m7i.large', 0.1),
  ...offeringsOf('m7i.4xlarge', 0.8),
  ...offeringsOf('m7i.metal-24xl', 0.5),
  ...offeringsOf('c7g.metal', 0.4),
];

function listPlannedTypes(pods: readonly Pod[], values?: readonly string[]): readonly string[] {
  const requirements = values === undefined ? [] : [{ key: INSTANCE_TYPE_LABEL, operator: 'In' as const, values }];
  const pool = aNodePool({ requirements });
  const snapshot = aSnapshot({
    pods,
    pools: [pool],
    instanceTypes: { [pool.name]: TYPES },
    offerings: OFFERINGS,
  });
  const { claims } = planProvisioning(snapshot, 'decision-1');
  return claims.flatMap(({ claim }) =>
    claim.requirements.flatMap(({ key, values: types = [] }) => (key === INSTANCE_TYPE_LABEL ? types : [])),
  );
}

const isMetal = (type: string): boolean => type.includes('.metal');

describe('bare metal', () => {
  it('is not planned for pods that another type can run, however cheap it is', () => {
    const anyBatch = fc.array(
      fc.record({
        count: fc.integer({ min: 1, max: 15 }),
        cpus: fc.constantFrom(0.25, 0.5, 1, 2, 6),
        memoryGib: fc.constantFrom(0.5, 1, 4, 16),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(anyBatch, (batch) => {
        const pods = batch.flatMap(({ count, cpus, memoryGib }) =>
          podsOf(count, { spec: aPodSpec({ requests: resources(cpus, memoryGib, { pods: 1 }) }) }),
        );
        const types = listPlannedTypes(pods);

        expect(types).not.toEqual([]);
        expect(types.filter(isMetal)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['that select it', podsOf(3, { spec: aPodSpec({ nodeSelector: { [INSTANCE_TYPE_LABEL]: 'c7g.metal' } }) })],
    ['that nothing else can run', podsOf(1, { spec: aPodSpec({ requests: resources(40, 90, { pods: 1 }) }) })],
  ])('is planned for pods %s', (_, pods) => {
    expect(listPlannedTypes(pods).every(isMetal)).toBe(true);
    expect(listPlannedTypes(pods)).not.toEqual([]);
  });

  it('is planned for a NodePool that allows nothing else', () => {
    const types = listPlannedTypes(podsOf(5), ['m7i.metal-24xl', 'c7g.metal']);

    expect(types.length).toBeGreaterThan(0);
    expect(types.every(isMetal)).toBe(true);
  });
});
