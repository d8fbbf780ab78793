import { describe, expect, it } from 'vitest';
import {
  passesAll,
  type TopologyFilter,
} from '../../../../shared/scheduling/binding-simulation/scheduler-model/topology-filters.ts';

/** Three nodes: two in a domain with two pods, and one without a domain. */
const filter = (over: Partial<TopologyFilter>): TopologyFilter => ({
  domainOf: Int32Array.of(0, 0, -1),
  podsByDomain: Int32Array.of(2),
  firstDomain: 0,
  atLeast: 0,
  atMost: Infinity,
  acceptsNodesWithoutDomain: false,
  ...over,
});

describe('a topology filter', () => {
  it.each([
    ['requires a matching pod in the domain', filter({ atLeast: 1 }), [true, true, false]],
    ['fails for domains with too few pods', filter({ atLeast: 3 }), [false, false, false]],
    ['fails for domains with any pod', filter({ atMost: 0, acceptsNodesWithoutDomain: true }), [false, false, true]],
    ['passes domains up to a maximum', filter({ atMost: 2 }), [true, true, false]],
  ])('%s', (_, filterOfCase, expected) => {
    expect([0, 1, 2].map((node) => passesAll([filterOfCase], node))).toEqual(expected);
  });

  it('passes a node only if all filters pass it', () => {
    expect(passesAll([filter({ atLeast: 1 }), filter({ atMost: 1 })], 0)).toBe(false);
    expect(passesAll([], 0)).toBe(true);
  });
});
