import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Measures, type Scenario, type World } from '../scenario.ts';

export const scaleDown: Scenario = {
  name: 'empty nodes go',
  id: 'shrink',
  async run(_lab, world) {
    await world.pool({ consolidateAfter: '1s' });
    await world.deployment('web', 6);
    await world.waitForRunning(6);
    const start = Date.now();
    await world.scale('web', 0);
    await world.waitForNodes(0, 200_000);
    return { goneMs: Date.now() - start };
  },
};

export const deleteNodeClaim: Scenario = {
  name: 'kubectl delete nodeclaim drains first',
  id: 'claim-away',
  run: (lab, world) => removeOne(lab, world, 'nodeclaim'),
};

export const deleteNode: Scenario = {
  name: 'kubectl delete node drains first',
  id: 'node-away',
  run: (lab, world) => removeOne(lab, world, 'node'),
};

/**
 * Deletes a node or NodeClaim: its pods must move one by one, as their budget allows, before the
 * instance is terminated.
 */
async function removeOne(lab: Lab, world: World, kind: 'node' | 'nodeclaim'): Promise<Measures> {
  await world.pool({ instanceTypes: ['m5.large', 'm5a.large', 'm6i.large'] });
  await lab.kubectl(['apply', '-f', '-'], {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: world.id, name: 'web' },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
  await world.deployment('web', 2, { cpu: '700m' });
  await world.waitForRunning(2);
  const claim = await waitUntil('a claim with a node', async () =>
    (await world.claims()).find(({ node }) => node !== ''),
  );

  const start = Date.now();
  const name = kind === 'node' ? claim.node : claim.name;
  await lab.kubectl(['delete', kind, name, '--wait=false']);
  const instance = claim.providerId.split('/').at(-1) ?? '';
  await waitUntil(
    `the end of ${name}`,
    async () => {
      const [claims, nodes, instances] = await Promise.all([world.claims(), world.nodes(), world.instances()]);
      // An instance that was terminated with pods on it would have removed them.
      const pods = (await world.pods()).filter((pod) => pod.node === claim.node && !pod.isEnding);
      expect(instances.includes(instance) || pods.length === 0, 'the instance ended before its pods');
      return (
        claims.every((one) => one.name !== claim.name) && !nodes.includes(claim.node) && !instances.includes(instance)
      );
    },
    { timeoutMs: 120_000, everyMs: 300 },
  );
  const goneMs = Date.now() - start;
  await world.waitForRunning(2);
  return { goneMs };
}
