import { expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { HOSTNAME_LABEL } from '../../../shared/model/labels.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aWorld, podsIn, runFor } from '../../simulation/support.ts';
import {
  aDeployment,
  aNodePool,
  aPodDisruptionBudget,
  aPodSpec,
  aPodTemplate,
  aSelector,
} from '../../support/builders.ts';

it('deletes the replicas of a budget one after the other if EC2 takes all of their nodes', async () => {
  const apart = {
    key: HOSTNAME_LABEL,
    selector: aSelector({ app: 'web' }),
    matchLabelKeys: [],
    namespaces: [],
  };
  const template = aPodTemplate({ spec: aPodSpec({ podAntiAffinity: [apart] }) });
  const world = aWorld({
    pools: [
      aNodePool({
        requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }],
      }),
    ],
    workloads: [aDeployment({ replicas: 3, template })],
    podDisruptionBudgets: [aPodDisruptionBudget()],
  });
  world.consume((hint) => dispatch(world.ports, hint));
  await runFor(world, 5 * MINUTE_MS);
  const { records: stored } = await world.ports.nodeClaims.list();
  expect(stored).toHaveLength(3);
  for (const { claim } of stored) world.userActions.interrupt(claim.name, 'spot-interruption');

  const readyCounts: number[] = [];
  for (let second = 0; second < 2 * 60; second += 1) {
    await runFor(world, SECOND_MS);
    const ready = (await podsIn(world)).filter((pod) => pod.ready && pod.deletionAt === undefined);
    readyCounts.push(ready.length);
  }
  expect(Math.min(...readyCounts)).toBe(2);
  expect(readyCounts.at(-1)).toBe(3);
});
