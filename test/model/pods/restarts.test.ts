import { describe, expect, it } from 'vitest';
import { RESTART_WHEN_BLOCKED_ANNOTATION } from '../../../shared/model/labels.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { listPodsToRestart } from '../../../shared/model/pods/restarts.ts';
import type { PodDisruptionBudget } from '../../../shared/model/pods/workload.ts';
import { aPod, aPodDisruptionBudget, aRunningPod, NOON } from '../../support/builders.ts';

const annotations = { [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' };
const owner = { kind: 'ReplicaSet', name: 'web-5d', uid: 'rs' };
const web = (over: Partial<Pod> = {}): Pod => aRunningPod('node-1', { name: 'web-1', annotations, owner, ...over });
const second = (over: Partial<Pod> = {}): Pod => web({ name: 'web-2', nodeName: 'node-2', annotations: {}, ...over });
function needsOne(over: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget {
  const { maxUnavailable: _, ...budget } = aPodDisruptionBudget(over);
  return { ...budget, minAvailable: '1' };
}

const namesOf = (pods: readonly Pod[], budgets: readonly PodDisruptionBudget[]): string[] =>
  listPodsToRestart(pods, budgets, NOON).map(({ name }) => name);

describe('the pods whose Deployments a drain would restart', () => {
  it.each<[string, readonly Pod[], readonly PodDisruptionBudget[]]>([
    ['a budget never allows an eviction', [web()], [aPodDisruptionBudget()]],
    ['the budget needs the only replica', [web()], [needsOne()]],
    [
      'two budgets select it, which the API server never evicts',
      [web()],
      [needsOne({ name: 'a', disruptionsAllowed: 1 }), needsOne({ name: 'b', disruptionsAllowed: 1 })],
    ],
    [
      'the budget never allows an eviction, and a pod of it is not ready',
      [web(), second({ ready: false })],
      [aPodDisruptionBudget()],
    ],
  ])('include one if %s', (_, pods, budgets) => {
    expect(namesOf(pods, budgets)).toEqual(['web-1']);
  });

  it.each<[string, readonly Pod[], readonly PodDisruptionBudget[]]>([
    ['its template does not allow it', [web({ annotations: {} })], [needsOne()]],
    ['no budget selects it', [web()], []],
    ['the budget allows an eviction', [web()], [needsOne({ disruptionsAllowed: 1 })]],
    [
      'the budget allows an eviction once another pod is ready',
      [web(), second({ ready: false })],
      [needsOne({ expectedPods: 2 })],
    ],
    ['it terminates already', [web({ deletionAt: NOON })], [needsOne()]],
    ['it waits for a node', [aPod({ annotations, owner })], [needsOne()]],
  ])('do not include one if %s', (_, pods, budgets) => {
    expect(namesOf(pods, budgets)).toEqual([]);
  });

  it('are one for each owner', () => {
    const pods = [web(), second({ annotations }), web({ name: 'db', owner: { ...owner, uid: 'db' } })];

    expect(namesOf(pods, [aPodDisruptionBudget()])).toEqual(['web-2', 'db']);
  });
});
