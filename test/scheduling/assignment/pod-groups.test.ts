import { describe, expect, it } from 'vitest';
import { listUnpinnedOptions } from '../../../shared/scheduling/assignment/pod-groups.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { listRelaxations } from '../../../shared/scheduling/pods/relaxations.ts';
import { aNodePool, anInstanceType, anOffering, aPodSpec, aSnapshot } from '../../support/builders.ts';

const spec = aPodSpec();
const snapshot = aSnapshot({
  pools: [aNodePool()],
  instanceTypes: { general: [anInstanceType()] },
  offerings: [anOffering()],
});

const listOptionsIn = (observed: typeof snapshot) =>
  listRelaxations(spec).flatMap((relaxation) => listUnpinnedOptions(spec, relaxation, prepare(observed)));

describe('the pools that can launch a node for a pod', () => {
  it('are found once while pools and types are the same', () => {
    const first = listOptionsIn(snapshot);
    const next = listOptionsIn({ ...snapshot, takenAt: snapshot.takenAt + 1 });

    expect(first.length).toBeGreaterThan(0);
    expect(next.every((option, index) => option === first[index])).toBe(true);
  });

  it('are found again once a pool has changed', () => {
    const first = listOptionsIn(snapshot);
    const changed = listOptionsIn({ ...snapshot, pools: [aNodePool({ weight: 7 })] });

    expect(changed.map(({ template }) => template.pool.weight)).toEqual(first.map(() => 7));
  });
});
