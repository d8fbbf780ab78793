import { describe, expect, it } from 'vitest';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { aCluster } from '../support/fixture.ts';

describe('the lowest price of a set of types', () => {
  it('is the same before and after the index has sorted its prices', () => {
    const { offerings } = prepare(aCluster());
    const { everywhere } = offerings;
    const lowest = Math.min(...offerings.pricesIn(everywhere));

    const answers = Array.from({ length: 12 }, () => offerings.lowestUsd(offerings.offered(everywhere), everywhere));

    expect(lowest).toBeLessThan(Infinity);
    expect(answers).toEqual(Array.from({ length: 12 }, () => lowest));
  });
});
