import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { readBundle } from '../bundle.ts';
import { caseSchema } from '../case-schema.ts';
import { checkPlan } from '../check-plan.ts';
import { toSnapshot } from '../read-case.ts';
import { createRandomCase } from './random-case.ts';

const CATALOG = 'ec2-80';
const { catalogs } = readBundle(new URL('../data/scheduling.json.gz', import.meta.url), z.unknown());
const { instanceTypes: types } = z
  .object({
    instanceTypes: z.array(
      z.looseObject({
        name: z.string(),
        requirements: z.record(z.string(), z.array(z.string())),
        capacity: z.record(z.string(), z.string()),
      }),
    ),
  })
  .parse(catalogs(CATALOG));

const create = (seed: number, index: number) => createRandomCase({ seed, index, catalog: CATALOG, types });

/** The reference has not answered the case. */
const NO_ANSWER = {
  newNodeClaims: [],
  stability: {
    totalPrice: { min: 0, max: 0 },
    newNodes: { min: 0, max: 0 },
    scheduledPods: { min: 0, max: 0 },
  },
};

describe('a random case', () => {
  it('is equal for equal seeds, and different for others', () => {
    expect(create(1, 3)).toEqual(create(1, 3));
    expect(create(1, 3)).not.toEqual(create(2, 3));
  });

  it.each([0, 3, 4])('can be planned: case %i of a seed', (index) => {
    const written = caseSchema.parse({ ...create(5, index), expected: NO_ANSWER });
    const snapshot = toSnapshot(written, catalogs);
    const plan = planProvisioning(snapshot, 'decision-1');

    expect(checkPlan(snapshot, plan)).toEqual([]);
    expect(plan.claims.length + plan.placements.length).toBeGreaterThan(0);
  });
});
