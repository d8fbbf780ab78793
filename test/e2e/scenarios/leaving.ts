import { setTimeout as sleep } from 'node:timers/promises';
import { deploy } from '../lab/aws/deploy.ts';
import { listAt, textAt } from '../lab/json.ts';
import type { Lab } from '../lab/start-lab.ts';
import { CLUSTER } from '../lab/start-lab.ts';
import { allowController, mortise } from '../mortise-command.ts';
import { expect, type Scenario } from '../scenario.ts';
import { hasHooks } from './outage.ts';

export const destroyAlone: Scenario = {
  name: 'cdk destroy alone frees the cluster and leaves nodes, pods and CRDs; a new stack adopts them',
  id: 'destroyed',
  isOnce: true,
  async run(lab, world) {
    await world.pool();
    await world.deployment('web', 2);
    const pods = await world.waitForRunning(2);
    const instances = await world.instances();
    const nodeRoles = lab.deployment.output('NodeRoleName');

    await lab.deployment.destroy();
    // Longer than Kubernetes waits for a kubelet that renews nothing.
    await sleep(NOT_READY_AFTER_MS);
    const notReady = await nodesNotReady(lab);
    expect(notReady.length === 0, `nodes were cut off: ${notReady.join(', ')}`);
    expect(!(await hasHooks(lab)), 'hooks are left');
    expect((await finalizersLeft(lab)).length === 0, `finalizers are left: ${(await finalizersLeft(lab)).join()}`);
    expect((await crds(lab)).length > 0, 'the CRDs are gone');
    const running = (await world.waitForRunning(2)).map(({ name }) => name).toSorted();
    expect(
      running.join() ===
        pods
          .map(({ name }) => name)
          .toSorted()
          .join(),
      'a pod moved',
    );
    const after = await world.instances();
    expect(
      instances.every((id) => after.includes(id)),
      'an instance was ended',
    );

    // The new stack has a role of its own, and goes on with the old one.
    await deploy(lab, { nodeRoles });
    await world.deployment('more', 1, { cpu: '1500m' });
    await world.waitForRunning(3, 150_000);
    const adopted = await world.instances();
    expect(
      instances.every((id) => adopted.includes(id)),
      'the new stack ended an instance',
    );
    return {};
  },
};

export const uninstallThenDestroy: Scenario = {
  name: 'mortise uninstall --nodes drain, then cdk destroy: nothing of ours is left',
  id: 'uninstalled',
  isOnce: true,
  keepsPool: true,
  async run(lab, world) {
    await world.pool();
    await world.deployment('web', 2);
    await world.waitForRunning(2);
    const start = Date.now();
    await allowController(lab);
    const drain = ['uninstall', '--nodes', 'drain', '--yes', CLUSTER, '--timeout', '4m'];
    await mortise(lab, drain, 'controller');
    const drainedMs = Date.now() - start;
    await world.waitForNodes(0, 10_000);
    await lab.deployment.destroy();
    expect(!(await hasHooks(lab)), 'hooks are left');
    expect((await finalizersLeft(lab)).length === 0, 'finalizers are left');
    const remaining = (await lab.resources.addedSince('bootstrap')).filter((one) => !RETAINED.test(one));
    expect(remaining.length === 0, `the account still has ${remaining.join(', ')}`);
    return { drainedMs };
  },
};

/** The stack retains its table and its bucket for audits. */
const RETAINED = /^(table|bucket) Mortise-/i;
const NOT_READY_AFTER_MS = 60_000;

async function nodesNotReady({ kube }: Lab): Promise<readonly string[]> {
  const isReady = (node: unknown): boolean =>
    listAt(node, 'status', 'conditions').some(
      (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
    );
  return (await kube.list('/api/v1/nodes'))
    .filter((node) => !isReady(node))
    .map((node) => textAt(node, 'metadata', 'name'));
}

const KINDS = ['/api/v1/nodes', '/apis/karpenter.sh/v1/nodeclaims', '/apis/karpenter.k8s.aws/v1/ec2nodeclasses'];

/** Finds objects whose finalizers only Mortise can remove. */
async function finalizersLeft({ kube }: Lab): Promise<readonly string[]> {
  const objects = (await Promise.all(KINDS.map((path) => kube.list(path)))).flat();
  return objects
    .filter((object) => listAt(object, 'metadata', 'finalizers').some((one) => String(one).startsWith('karpenter.')))
    .map((object) => `${textAt(object, 'metadata', 'name')}`);
}

const crds = async ({ kube }: Lab): Promise<readonly string[]> =>
  (await kube.list('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')).map((crd) =>
    textAt(crd, 'metadata', 'name'),
  );
