import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../shared/disruption/plan-disruption.ts';
import { readBundle } from './bundle.ts';
import { consolidationSchema } from './case-schema.ts';
import { checkCommand } from './check-command.ts';
import { snapshotOf } from './read-case.ts';

const { cases, catalogs } = readBundle(
  new URL('./data/consolidation.json.gz', import.meta.url),
  consolidationSchema,
);

/** Volumes do not hold pods in their zone yet, so that more can be moved than should be. */
const OUT_OF_SCOPE = ['consolidate-delete-volume-zone'];
const compared = cases.filter(({ name }) => !OUT_OF_SCOPE.includes(name));

describe('empty nodes and single nodes go as in Karpenter 1.14.1', () => {
  it.each(compared)('$name: as many nodes go, and as much is saved', (vector) => {
    const snapshot = snapshotOf(vector, catalogs);
    const { emptiness = null, single = null } = vector.expected.byMethod;
    // Several nodes at once are not looked at yet: what it does with one is the measure.
    const expected = emptiness ?? single;

    const { command } = planDisruption(snapshot, [], 'decision-1');

    expect(command && checkCommand(snapshot, command)).toEqual(expected ? [] : undefined);
    expect(command?.reason).toBe(
      expected ? (expected.method === 'emptiness' ? 'Empty' : 'Underutilized') : undefined,
    );
    expect(command?.candidates.length).toBe(expected?.delete.length);
    expect(command?.replacements.length).toBe(expected?.replacements.length);
    expect(command?.savingHourlyUsd ?? 0).toBeCloseTo(expected?.savings ?? 0);
  });

  it('judges no node twice', () => {
    for (const vector of compared) {
      const snapshot = snapshotOf(vector, catalogs);

      const named = planDisruption(snapshot, [], 'decision-1').verdicts.map(({ claim }) => claim);

      expect(new Set(named).size).toBe(named.length);
    }
  });
});
