import { describe, expect, it } from 'vitest';
import { createWorkMeter } from '../../../shared/scheduling/data-structures/work-meter.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { listHostileInputs } from '../../benchmarks/inputs/hostile/hostile-inputs.ts';
import { isOrdinary } from '../../benchmarks/inputs/hostile/hostile-pods.ts';

/** Inputs in which the limits of the NodePool are too low for all pods. */
const LIMITED = ['priorities-1000', 'terms-limit-6x3500', 'over-the-limit-2000'];
const MAX_OPERATIONS = 95_000_000;

describe('a plan for pods with extreme rules', () => {
  it.each(listHostileInputs())('places the ordinary pods beside $name', { timeout: 300_000 }, ({ name, snapshot }) => {
    const work = createWorkMeter();
    const { claims, placements } = planProvisioning(snapshot(), 'decision-1', { work });
    const placed = [...claims, ...placements].flatMap(({ pods }) => pods).filter(isOrdinary);

    expect(work.spent()).toBeLessThan(MAX_OPERATIONS);
    if (!LIMITED.includes(name)) expect(placed).toHaveLength(50);
  });
});
