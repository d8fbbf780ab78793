import { expect, it } from 'vitest';
import { bindsCompletely } from '../../../../shared/scheduling/binding-simulation/evaluation/evaluate-packing.ts';
import { aCluster, createPods, createStepTypes, OS, requesting } from '../../support/fixture.ts';
import { packAndEvaluate } from '../evaluated-packing.ts';

it('evaluatePacking distinguishes nodes of one type by the value that their pods require for an open label', () => {
  const requests = requesting(1.5, 1);
  const pods = ['linux', 'windows'].flatMap((system) =>
    createPods(3, system, { requests, nodeSelector: { [OS]: system } }),
  );

  const { evaluated } = packAndEvaluate(aCluster({ types: createStepTypes(8), pods }));

  expect(evaluated.nodes.map(({ kind }) => kind.labels[OS])).toEqual(['linux', 'windows']);
  expect(bindsCompletely(evaluated)).toBe(true);
});
