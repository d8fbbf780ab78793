import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addResources,
  fits,
  maxResources,
  minResources,
  NO_RESOURCES,
  type Resources,
  scaleResources,
  shortages,
  subtractResources,
} from '../../shared/model/resources.ts';

const anyResources: fc.Arbitrary<Resources> = fc.dictionary(
  fc.constantFrom('cpu', 'memory', 'pods', 'nvidia.com/gpu'),
  fc.nat({ max: 1_000 }),
);

/** The same amounts with absent and 0 told apart no more. */
const amounts = (resources: Resources): Resources =>
  Object.fromEntries(Object.entries(resources).filter(([, amount]) => amount !== 0));

describe('resources', () => {
  it('add up in any order, and nothing adds nothing', () => {
    fc.assert(
      fc.property(anyResources, anyResources, (a, b) => {
        expect(addResources(a, b)).toEqual(addResources(b, a));
        expect(addResources(a, NO_RESOURCES)).toEqual(a);
      }),
    );
  });

  it('are what they were after something is added and taken away', () => {
    fc.assert(
      fc.property(anyResources, anyResources, (a, b) => {
        expect(amounts(subtractResources(addResources(a, b), b))).toEqual(amounts(a));
      }),
    );
  });

  it('split into the larger and the smaller amounts', () => {
    fc.assert(
      fc.property(anyResources, anyResources, (a, b) => {
        const parts = addResources(maxResources(a, b), minResources(a, b));
        expect(amounts(parts)).toEqual(amounts(addResources(a, b)));
      }),
    );
  });

  it('are the sum of so many of them', () => {
    expect(scaleResources({ cpu: 250, pods: 1 }, 3)).toEqual({ cpu: 750, pods: 3 });
  });
});

describe('fitting', () => {
  it.each<[string, Resources, Resources, boolean]>([
    ['exactly equal', { cpu: 2 }, { cpu: 2 }, true],
    ['a little more', { cpu: 3 }, { cpu: 2 }, false],
    ['an unknown resource', { gpu: 1 }, { cpu: 2 }, false],
    ['nothing of an unknown resource', { gpu: 0 }, { cpu: 2 }, true],
    ['beside something overdrawn', { cpu: 1 }, { cpu: 2, memory: -1 }, false],
    ['nothing into nothing', {}, {}, true],
  ])('%s', (_, requests, free, expected) => {
    expect(fits(requests, free)).toBe(expected);
  });

  it('names what is short, in the order of the requests', () => {
    expect(shortages({ memory: 5, cpu: 3, pods: 1 }, { cpu: 2, pods: 1 })).toEqual([
      'memory',
      'cpu',
    ]);
  });

  it('holds for what remains when, and only when, the sum fits', () => {
    fc.assert(
      fc.property(anyResources, anyResources, anyResources, (a, b, free) => {
        fc.pre(fits(a, free));
        expect(fits(b, subtractResources(free, a))).toBe(fits(addResources(a, b), free));
      }),
    );
  });
});
