import { expect, it } from 'vitest';
import { isClean } from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { aCluster, asking, OS, several, stepTypes } from '../../fixture.ts';
import { rehearsed } from '../evaluated-packing.ts';

it('nodes of one type that leaves a label open are told apart by what pods chose of it', () => {
  const requests = asking(1.5, 1);
  const pods = ['linux', 'windows'].flatMap((system) =>
    several(3, system, { requests, nodeSelector: { [OS]: system } }),
  );

  const { trial } = rehearsed(aCluster({ types: stepTypes(8), pods }));

  expect(trial.hosts.map(({ kind }) => kind.labels[OS])).toEqual(['linux', 'windows']);
  expect(isClean(trial)).toBe(true);
});
