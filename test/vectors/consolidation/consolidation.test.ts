import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import { readBundle } from '../bundle.ts';
import { consolidationSchema } from '../case-schema.ts';
import { checkCommand } from '../check-command.ts';
import { toSnapshot } from '../read-case.ts';

const { cases, catalogs } = readBundle(new URL('../data/consolidation.json.gz', import.meta.url), consolidationSchema);

/** Prices are sums of the same numbers in another order. */
const ROUNDING_USD = 1e-9;

describe('a round of removals compared with Karpenter 1.14.1', () => {
  it.each(cases)('ends at no higher a price: $name', (vector) => {
    const snapshot = toSnapshot(vector, catalogs);
    const { command: expected } = vector.expected;

    const { command } = planDisruption(snapshot, [], 'decision-1');

    expect(command && checkCommand(snapshot, command)).toEqual(expected ? [] : undefined);
    expect(command?.reason).toBe(expected ? (expected.method === 'emptiness' ? 'Empty' : 'Underutilized') : undefined);
    expect(command?.savingHourlyUsd ?? 0).toBeGreaterThanOrEqual((expected?.savings ?? 0) - ROUNDING_USD);
  });

  it('ends at a lower price for all cases together', () => {
    const saved = cases.map((vector) => {
      const snapshot = toSnapshot(vector, catalogs);
      const { command } = planDisruption(snapshot, [], 'decision-1');
      return (command?.savingHourlyUsd ?? 0) - (vector.expected.command?.savings ?? 0);
    });

    expect(saved.reduce((total, one) => total + one, 0)).toBeGreaterThan(0.2);
  });

  it.each(cases.filter(({ expected }) => expected.byMethod.emptiness))(
    'removes as many empty nodes and saves as much: $name',
    (vector) => {
      const { emptiness } = vector.expected.byMethod;
      const { command } = planDisruption(toSnapshot(vector, catalogs), [], 'decision-1');

      expect(command?.candidates).toHaveLength(emptiness?.delete.length ?? 0);
      expect(command?.savingHourlyUsd).toBeCloseTo(emptiness?.savings ?? 0);
    },
  );

  it('judges no node twice', () => {
    for (const vector of cases) {
      const snapshot = toSnapshot(vector, catalogs);

      const named = planDisruption(snapshot, [], 'decision-1').verdicts.map(({ claim }) => claim);

      expect(new Set(named).size).toBe(named.length);
    }
  });
});
