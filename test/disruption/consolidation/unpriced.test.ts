import { describe, expect, it } from 'vitest';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import { aFleet, decide, type FleetNode, findStayReason, onDemand, TYPES, web } from '../fleet.ts';

const catalogue = { types: TYPES, offerings: TYPES.flatMap((type) => onDemand(type)) };
const node = (name: string, type: string, cpus: number): FleetNode => ({
  name,
  type,
  pods: [web(`p-${name}`, cpus)],
});

describe('consolidation without prices', () => {
  const alone = [node('a', 'large', 1)];
  const together = [node('a', 'small', 0.5), node('b', 'small', 0.5)];

  it('never replaces a node that it replaces with prices', () => {
    expect(decide(aFleet(alone, catalogue)).gone).toEqual(['a']);

    const unpriced = decide({ ...aFleet(alone, catalogue), unpriced: true });

    expect(unpriced.gone).toEqual([]);
    expect(findStayReason(unpriced, 'a')).toBe('not-priced');
  });

  it('removes a node whose pods fit the other nodes, without a saving in dollars', () => {
    const { command, verdicts, gone } = decide({ ...aFleet(together, catalogue), unpriced: true });

    expect(gone).toHaveLength(1);
    expect(command?.replacements).toEqual([]);
    const [reason] = verdicts.flatMap((one) => (one.outcome === 'goes' ? [one.reason] : []));
    expect(reason && formatReason(reason)).toMatch(/^removed: pods fit [ab], pays back in/);
  });
});
