import { describe, expect, it } from 'vitest';
import {
  type Gate,
  isOpen,
} from '../../../../shared/scheduling/binding-simulation/scheduler-model/topology-filters.ts';

/** Three hosts: two in a domain with 2 pods, and one in none. */
const gate = (over: Partial<Gate>): Gate => ({
  domainOf: Int32Array.of(0, 0, -1),
  here: Int32Array.of(2),
  atLeast: 0,
  atMost: Infinity,
  isOpenWithout: false,
  ...over,
});

describe('a gate', () => {
  it.each([
    ['asks for company', gate({ atLeast: 1 }), [true, true, false]],
    ['asks for more than there is', gate({ atLeast: 3 }), [false, false, false]],
    ['bars where anybody is', gate({ atMost: 0, isOpenWithout: true }), [false, false, true]],
    ['lets a crowd grow so far', gate({ atMost: 2 }), [true, true, false]],
  ])('%s', (_, one, open) => {
    expect([0, 1, 2].map((host) => isOpen([one], host))).toEqual(open);
  });

  it('is one of several that must all be open', () => {
    expect(isOpen([gate({ atLeast: 1 }), gate({ atMost: 1 })], 0)).toBe(false);
    expect(isOpen([], 0)).toBe(true);
  });
});
