import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addResources,
  maxResources,
  minResources,
  NO_RESOURCES,
  type Resources,
  subtractResources,
} from '../../shared/model/resources.ts';
import { fits, listShortages } from '../support/resources.ts';

const anyResources: fc.Arbitrary<Resources> = fc.dictionary(
  fc.constantFrom('cpu', 'memory', 'pods', 'nvidia.com/gpu'),
  fc.nat({ max: 1_000 }),
);

/** Drops amounts of 0, so that they equal absent ones. */
const amounts = (resources: Resources): Resources =>
  Object.fromEntries(Object.entries(resources).filter(([, amount]) => amount !== 0));

describe('resources', () => {
  it('add up in any order, and adding nothing changes nothing', () => {
    fc.assert(
      fc.property(anyResources, anyResources, (a, b) => {
        expect(addResources(a, b)).toEqual(addResources(b, a));
        expect(addResources(a, NO_RESOURCES)).toEqual(a);
      }),
    );
  });

  it('stay the same if something is added and then subtracted', () => {
    fc.assert(
      fc.property(anyResources, anyResources, (a, b) => {
        expect(amounts(subtractResources(addResources(a, b), b))).toEqual(amounts(a));
      }),
    );
  });

  it('have maxima and minima that add up to both', () => {
    fc.assert(
      fc.property(anyResources, anyResources, (a, b) => {
        const parts = addResources(maxResources(a, b), minResources(a, b));
        expect(amounts(parts)).toEqual(amounts(addResources(a, b)));
      }),
    );
  });
});

describe('fits', () => {
  it.each<[string, Resources, Resources, boolean]>([
    ['exactly equal', { cpu: 2 }, { cpu: 2 }, true],
    ['a little more', { cpu: 3 }, { cpu: 2 }, false],
    ['an unknown resource', { gpu: 1 }, { cpu: 2 }, false],
    ['nothing of an unknown resource', { gpu: 0 }, { cpu: 2 }, true],
    ['beside something overdrawn', { cpu: 1 }, { cpu: 2, memory: -1 }, false],
    ['nothing into nothing', {}, {}, true],
  ])('decides for %s', (_, requests, free, expected) => {
    expect(fits(requests, free)).toBe(expected);
  });

  it('agrees with listShortages, which keeps the order of the requests', () => {
    expect(listShortages({ memory: 5, cpu: 3, pods: 1 }, { cpu: 2, pods: 1 })).toEqual(['memory', 'cpu']);
  });

  it('accepts the remaining resources if and only if it accepts the sum', () => {
    fc.assert(
      fc.property(anyResources, anyResources, anyResources, (a, b, free) => {
        fc.pre(fits(a, free));
        expect(fits(b, subtractResources(free, a))).toBe(fits(addResources(a, b), free));
      }),
    );
  });
});
