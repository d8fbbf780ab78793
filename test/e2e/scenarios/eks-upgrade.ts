import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { textAt } from '../lab/json.ts';
import { findControlPlane, minorOf } from '../lab/kubernetes/control-plane-binary.ts';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { watchRepeatedly } from '../lab/watch-repeatedly.ts';
import { callMortise } from '../mortise-command.ts';
import { expect, type Scenario, type World } from '../scenario.ts';
import { ONE_OF_A_KIND } from './single-pod.ts';

export const UPGRADED_TO = 'v1.37.2';
const POOL = { instanceTypes: ['m5.large'], budget: '1' };
const REPLICAS = 3;
const KEPT = { 'karpenter.sh/do-not-disrupt': 'true' };
const MAX_WAIT_MS = 480_000;

export const eksUpgrade: Scenario = {
  name: 'EKS is upgraded by a minor version: the alias resolves anew, and nodes are replaced one at a time',
  id: 'eks-upgrade',
  isOnce: true,
  async run(lab, world) {
    await world.pool(POOL);
    await world.deployment('web', REPLICAS, { spec: ONE_OF_A_KIND });
    await world.deployment('kept', 1, { annotations: KEPT, spec: ONE_OF_A_KIND });
    const pods = await world.waitForRunning(REPLICAS + 1);
    const kept = pods.find(({ name }) => name.startsWith('kept-'));
    expect(kept !== undefined, 'there is no pod that must not be disrupted');
    const before = await listImages(lab, world);
    const [oldImage, ...others] = new Set(before.values());
    expect(oldImage !== undefined && others.length === 0, 'the nodes have one image');

    const start = performance.now();
    await upgrade(lab);
    const upgradedMs = Math.round(performance.now() - start);
    let fewestReady = Number.POSITIVE_INFINITY;
    const watch = watchRepeatedly(async () => {
      const running = (await world.pods()).filter(({ isRunning, isEnding }) => isRunning && !isEnding);
      fewestReady = Math.min(fewestReady, running.length);
    }, 250);
    await waitUntil('nodes with the new image', () => hasLeft(lab, world, oldImage, 1), {
      timeoutMs: MAX_WAIT_MS,
      everyMs: 500,
    });
    const replacedMs = Math.round(performance.now() - start);
    // One node at a time: while the pod of one starts again, all others run.
    await watch.end();
    expect(fewestReady >= REPLICAS, `only ${fewestReady} of ${REPLICAS + 1} pods ran`);
    const { stdout } = await callMortise(lab, ['explain', 'node', kept.node], { holder: 'administrator' });
    expect(/kept-.* carries do-not-disrupt/.test(stdout), `explain does not name the pod that stays: ${stdout}`);
    await lab.kubectl(['annotate', 'pod', kept.name, '-n', world.id, 'karpenter.sh/do-not-disrupt-']);
    await waitUntil('the last node with the old image to go', () => hasLeft(lab, world, oldImage, 0), {
      timeoutMs: MAX_WAIT_MS,
      everyMs: 500,
    });
    await world.waitForRunning(REPLICAS + 1);
    return { upgradedMs, replacedMs, fewestReady };
  },
};

/** Replaces the control plane, as EKS does, and what EKS says about it. */
async function upgrade({ controlPlane, eks, kube, say }: Lab): Promise<void> {
  await controlPlane.upgrade(await findControlPlane(say, UPGRADED_TO));
  eks.describeAs((cluster) => ({ ...cluster, version: `1.${minorOf(UPGRADED_TO)}` }));
  const served = textAt(await kube.get('/version'), 'gitVersion');
  expect(served === UPGRADED_TO, `the API server has the version ${served}`);
}

/** The images of the pool's instances that run or start, by their ids. */
async function listImages({ cloud }: Lab, world: World): Promise<ReadonlyMap<string, string>> {
  const InstanceIds = [...(await world.instances())];
  if (InstanceIds.length === 0) return new Map();
  const { Reservations = [] } = await cloud.ec2.send(new DescribeInstancesCommand({ InstanceIds }));
  const instances = Reservations.flatMap(({ Instances = [] }) => Instances);
  return new Map(instances.map(({ InstanceId = '', ImageId = '' }) => [InstanceId, ImageId]));
}

/** True once exactly `remaining` of all nodes have the old image, and no other node is under way. */
async function hasLeft(lab: Lab, world: World, oldImage: string, remaining: number): Promise<boolean> {
  const images = [...(await listImages(lab, world)).values()];
  const old = images.filter((image) => image === oldImage).length;
  return old === remaining && images.length === REPLICAS + 1;
}
