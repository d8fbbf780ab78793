import { expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aWorld, NO_RANDOM_EVENTS, podsIn, runFor } from '../../simulation/support.ts';
import { aDeployment, aPodSpec, aPodTemplate, resources } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimOf } from '../support/fake-ports.ts';

it('replaces claims whose Nodes were removed by hand while their instances run', async () => {
  const spec = aPodSpec({ requests: resources(3, 6, { pods: 1 }) });
  const workloads = [aDeployment({ replicas: 6, template: aPodTemplate({ spec }) })];
  const world = aWorld({ workloads }, { options: NO_RANDOM_EVENTS });
  const { cluster, cloud } = world.ports;
  world.consume((hint) => dispatch(world.ports, hint));
  await runFor(world, 10 * MINUTE_MS);
  const { nodes } = await cluster.observe();
  const before = (await cloud.instances()).map(({ providerId }) => providerId);

  for (const node of nodes) {
    await cluster.changeNode(node, { finalizers: [] });
    await cluster.deleteNode(node);
  }
  await runFor(world, 10 * MINUTE_MS);

  expect(nodes.length).toBeGreaterThan(0);
  expect((await podsIn(world)).map(({ phase }) => phase)).toEqual(Array(6).fill('Running'));
  const live = (await cloud.instances()).filter(({ state }) => state === 'running');
  expect(live.filter(({ providerId }) => before.includes(providerId))).toEqual([]);
});

it('keeps a claim whose Node cannot be read', async () => {
  const world = aFakeWorld();
  await addRunning(world, 'general-1', { nodeName: 'general-1' });
  const unreadable = [{ kind: 'Node', name: 'general-1', why: 'odd', forbids: [] }];
  world.objects = { ...world.objects, nodes: [], unreadable };

  await reconcileNodeClaim(world.ports, 'general-1');
  world.now += 10 * MINUTE_MS;
  await reconcileNodeClaim(world.ports, 'general-1');

  expect((await claimOf(world, 'general-1'))?.deletingAt).toBeUndefined();
});
