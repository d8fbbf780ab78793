import { setTimeout as sleep } from 'node:timers/promises';
import { entriesOf, valueAt } from '../../lab/json.ts';
import { waitUntil } from '../../lab/wait-until.ts';
import { expect, type Scenario } from '../../scenario.ts';
import { CLASSES, findPod, POOLS, situation, timeUntilTold } from './views.ts';

/** Two vCPUs each. */
export const LARGE_TYPES = ['m5.large', 'm5a.large', 'm6i.large'];

const noPool = situation(
  'no-pool',
  'a pod that no NodePool can hold names what it lacks',
  async (_lab, world, views) => {
    await world.pool();
    const start = performance.now();
    const nodeSelector = { 'karpenter.sh/nodepool': world.id, 'kubernetes.io/arch': 'arm64' };
    await world.deployment('arm', 1, { spec: { nodeSelector } });
    const pod = await findPod(world, 'arm');
    // The pool that the pod selects comes first, whatever other pools there are.
    const first = new RegExp(`^${world.id}: .*arm64`, 'm');
    return timeUntilTold(start, [
      views.event('FailedScheduling', 'Pod', 'arm-', first),
      views.explain('pod', pod, /arm64/),
      views.console('pod', pod, new RegExp(`${world.id}.*arm64`)),
    ]);
  },
);

const limits = situation(
  'limits',
  'the limits of a NodePool are named by its pods and by itself, with the change that helps',
  async (_lab, world, views) => {
    await world.pool({ instanceTypes: LARGE_TYPES, limits: { cpu: '2' } });
    await world.deployment('web', 1, { cpu: '1500m' });
    await world.waitForRunning(1);
    const start = performance.now();
    await world.deployment('more', 2, { cpu: '1500m' });
    const pod = await findPod(world, 'more');
    const inUse = /cpu 2 of 2 in use/;
    return timeUntilTold(start, [
      views.event('FailedScheduling', 'Pod', 'more-', inUse),
      views.explain('pod', pod, /limits\.cpu[\s\S]*kubectl patch nodepool/),
      views.explain('nodepool', world.id, /2 pods wait for[\s\S]*kubectl patch nodepool/),
      views.console('pod', pod, inUse),
      views.console('nodepool', world.id, /2 pods wait for/),
    ]);
  },
);

const wrongClass = situation(
  'class',
  'an EC2NodeClass without subnets is named with its selector in all views',
  async (lab, world, views) => {
    const [existing] = await lab.kube.list(CLASSES);
    const spec = Object.fromEntries(entriesOf(valueAt(existing, 'spec')));
    const termsFor = (tag: string) => [{ tags: { 'karpenter.sh/discovery': tag } }];
    const start = performance.now();
    await lab.kubectl(['apply', '-f', '-'], {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: world.id },
      spec: { ...spec, subnetSelectorTerms: termsFor('labb') },
    });
    try {
      await world.pool({ nodeClass: world.id });
      await world.deployment('web', 1);
      const pod = await findPod(world, 'web');
      const selector = /karpenter\.sh\/discovery[=:"\\ ]+labb/;
      const measures = await timeUntilTold(start, [
        views.event('FailedScheduling', 'Pod', 'web-', selector),
        views.event('NodeClassNotReady', 'NodePool', world.id, selector),
        views.condition(`${CLASSES}/${world.id}`, selector),
        views.condition(`${POOLS}/${world.id}`, selector),
        views.explain('pod', pod, /labb[\s\S]*subnetSelectorTerms/),
        views.explain('nodepool', world.id, /labb/),
        views.console('pod', pod, selector),
        views.doctor(selector),
      ]);
      const early = views
        .events()
        .filter(({ note }) => /not evaluated yet/.test(note))
        .map(({ reason, kind }) => `${reason} ${kind}`);
      expect(early.length === 0, `Events about a new class: ${early.join(', ')}`);
      const patchedAt = performance.now();
      const patch = JSON.stringify({ spec: { subnetSelectorTerms: termsFor('lab') } });
      await lab.kubectl(['patch', 'ec2nodeclass', world.id, '--type', 'merge', '-p', patch]);
      await world.waitForRunning(1);
      return { ...measures, fixedMs: Math.round(performance.now() - patchedAt) };
    } finally {
      await lab.kubectl(['delete', 'deployment', '-n', world.id, '--all']);
      await lab.kubectl(['delete', 'nodepool', world.id, '--ignore-not-found', '--wait=false']);
      await lab.kubectl(['delete', 'ec2nodeclass', world.id, '--wait=false']);
    }
  },
);

const SPREAD_PODS = 60;

const zonal = situation(
  'zonal',
  'sixty pods with a spread over zones run at once, a third of them in each zone',
  async (lab, world) => {
    await world.pool();
    const start = performance.now();
    await world.deployment('web', SPREAD_PODS, {
      cpu: '250m',
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
      },
    });
    const pods = await world.waitForRunning(SPREAD_PODS);
    const runningMs = Math.round(performance.now() - start);
    const zones = new Map<string, unknown>();
    for (const node of await lab.kube.list('/api/v1/nodes')) {
      const zone = valueAt(node, 'metadata', 'labels', 'topology.kubernetes.io/zone');
      zones.set(String(valueAt(node, 'metadata', 'name')), zone);
    }
    const counts = [...Map.groupBy(pods, ({ node }) => zones.get(node)).values()].map(({ length }) => length);
    expect(Math.max(...counts) - Math.min(...counts) <= 1, `pods by zone: ${counts.join(', ')}`);
    return { runningMs, byZone: counts.join('/') };
  },
);

/** Longer than a batch of pods and a launch take. */
const LAUNCH_MS = 12_000;

const endingNamespace = situation(
  'ending',
  'no node is launched for a pod that is being deleted, and the finalizer it waits for is named',
  async (lab, world, views) => {
    const finalizer = 'example.com/never';
    await lab.kubectl(['apply', '-f', '-'], {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: world.id, name: 'zombie', finalizers: [finalizer] },
      spec: {
        nodeSelector: { 'karpenter.sh/nodepool': world.id },
        containers: [{ name: 'main', image: 'main', resources: { requests: { cpu: '500m' } } }],
      },
    });
    await lab.kubectl(['delete', 'namespace', world.id, '--wait=false']);
    await waitUntil('the deletion of the pod', async () => (await world.pods()).every(({ isEnding }) => isEnding));
    const start = performance.now();
    await world.pool();
    const pod = `${world.id}/zombie`;
    const says = new RegExp(finalizer);
    try {
      const measures = await timeUntilTold(start, [views.explain('pod', pod, says), views.console('pod', pod, says)]);
      await sleep(LAUNCH_MS);
      expect((await world.claims()).length === 0, 'a node was launched for the pod');
      return measures;
    } finally {
      const patch = JSON.stringify({ metadata: { finalizers: null } });
      await lab.kubectl(['patch', 'pod', 'zombie', '-n', world.id, '-p', patch]);
    }
  },
);

/** Situations in which pods wait, or come. */
export const WAITING_PODS: readonly Scenario[] = [noPool, limits, wrongClass, zonal, endingNamespace];
