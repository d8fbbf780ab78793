import { describe, expect, it } from 'vitest';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { aTypeOf, ZONES } from '../../support/builders.ts';
import { aFleet, aWillingPool, decide, type FleetNode, findStayReason, priced, web } from '../fleet.ts';

const on = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, SpotToSpotConsolidation: true } };

/** Types of equal size: `t-1` costs $0.01 as spot, `t-2` $0.02, and so on. */
const createSpotCatalogue = (count: number) => {
  const types = Array.from({ length: count }, (_, index) => aTypeOf(`t-${index + 1}`, 2, 8));
  const offerings = types.flatMap(({ name }, index) =>
    ZONES.map((zone) => priced(name, 'spot', zone, (index + 1) / 100)),
  );
  return { types, offerings };
};
const onSpot = (name: string, type: number, cpus = 1): FleetNode => ({
  name,
  type: `t-${type}`,
  capacityType: 'spot',
  pods: [web(`p-${name}`, cpus)],
});
const requiring = (minValues: number) => [
  aWillingPool({
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues }],
  }),
];

describe('spot-to-spot consolidation', () => {
  it('needs its feature gate', () => {
    const decision = decide(aFleet([onSpot('a', 21)], createSpotCatalogue(21)));

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'a')).toBe('spot-to-spot-disabled');
  });

  it('does not need the gate to remove a node without replacement', () => {
    expect(decide(aFleet([onSpot('a', 21, 0.5), onSpot('b', 20, 0.5)], createSpotCatalogue(21))).gone).toEqual(['a']);
  });

  it.each([
    ['with one cheaper type', 5, 2, '1'],
    ['if it has the second cheapest of twenty types', 20, 2, '1'],
    ['with fourteen cheaper types', 20, 15, '14'],
  ])('keeps the node %s and reports the number of types', (_, count, current, result) => {
    // With a price, the smaller of these savings would not pay back in any case.
    const settings = { ...on, consolidationPaybackMs: 'Any' as const };
    const decision = decide(aFleet([onSpot('a', current)], { ...createSpotCatalogue(count), settings }));

    expect(decision.gone).toEqual([]);
    expect(decision.verdicts[0]?.reason).toMatchObject({
      code: 'spot-diversity',
      fields: { found: result, required: '15' },
    });
  });

  it('replaces a node by one of the fifteen cheapest types', () => {
    const decision = decide(aFleet([onSpot('a', 18)], { ...createSpotCatalogue(18), settings: on }));

    expect(decision.replacedBy).toEqual(Array.from({ length: 15 }, (_, index) => `t-${index + 1}`));
  });

  it.each([
    ['keeps 16 types for minValues 16 if 16 types are cheaper', 17, 16, 16],
    ['keeps fifteen types for minValues 10 if 20 types are cheaper', 21, 10, 15],
    ['does not replace for minValues 16 if 15 types are cheaper', 16, 16, 0],
  ])('%s', (_, current, minValues, types) => {
    const decision = decide(
      aFleet([onSpot('a', current)], {
        ...createSpotCatalogue(current),
        settings: on,
        pools: requiring(minValues),
      }),
    );

    expect(decision.replacedBy).toHaveLength(types);
  });

  it('does not need fifteen types to replace two nodes by one', () => {
    const types = [aTypeOf('t-1', 4, 16), aTypeOf('t-2', 4, 16), aTypeOf('t-3', 2, 8)];
    const offerings = [
      ...ZONES.map((zone) => priced('t-1', 'spot', zone, 0.1)),
      ...ZONES.map((zone) => priced('t-2', 'spot', zone, 0.11)),
      ...ZONES.map((zone) => priced('t-3', 'spot', zone, 0.08)),
    ];
    const decision = decide(aFleet([onSpot('a', 3, 1.5), onSpot('b', 3, 1.5)], { types, offerings, settings: on }));

    expect(decision.gone).toEqual(['a', 'b']);
    expect(decision.replacedBy).toEqual(['t-1', 't-2']);
  });

  it('does not apply to a spot and an on-demand node together', () => {
    const types = [aTypeOf('t-1', 4, 16), aTypeOf('t-3', 2, 8)];
    const offerings = ZONES.flatMap((zone) => [
      priced('t-1', 'spot', zone, 0.1),
      priced('t-3', 'spot', zone, 0.08),
      priced('t-3', 'on-demand', zone, 0.09),
    ]);
    const decision = decide(
      aFleet([onSpot('a', 3, 1.5), { ...onSpot('b', 3, 1.5), capacityType: 'on-demand' }], {
        types,
        offerings,
      }),
    );

    expect(decision.gone).toEqual(['a', 'b']);
    expect(decision.replacedBy).toEqual(['t-1']);
  });
});
