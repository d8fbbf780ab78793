import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { Pod, PodSpec, PodTemplate } from '../../../shared/model/pods/pod.ts';
import { podKey } from '../../../shared/model/pods/pod.ts';
import type { Taint } from '../../../shared/model/requirements/taints.ts';
import { putPod, terminatePod } from '../../../shared/simulation/control-plane/api-server.ts';
import { startScheduler } from '../../../shared/simulation/scheduler/scheduler.ts';
import { createVirtualClock } from '../../../shared/simulation/virtual-clock.ts';
import { aPod, aPodSpec, aSelector, NOON, resources } from '../../support/builders.ts';
import { createSchedulerNode } from '../../vectors/replay/scheduler-nodes.ts';
import { computeScores } from '../../vectors/replay/scores.ts';
import { aHost, anApiServer, asNewPod } from '../a-cluster.ts';
import { listViolations } from './binding-checks.ts';

const APPS = ['web', 'db', 'ads'];
const anyApp = fc.constantFrom(...APPS);
const anyKey = fc.constantFrom(ZONE_LABEL, HOSTNAME_LABEL, 'rack');
const anyPolicy = fc.constantFrom<'Honor' | 'Ignore'>('Honor', 'Ignore');

const anyTerm = fc.record({ key: anyKey, app: anyApp }).map(({ key, app }) => ({
  key,
  selector: aSelector({ app }),
  matchLabelKeys: [],
  namespaces: [],
}));

const anySpread = fc
  .record({
    key: anyKey,
    app: anyApp,
    maxSkew: fc.integer({ min: 1, max: 2 }),
    minDomains: fc.constantFrom(1, 1, 3),
    nodeAffinityPolicy: anyPolicy,
    nodeTaintsPolicy: anyPolicy,
    whenUnsatisfiable: fc.constantFrom<'DoNotSchedule' | 'ScheduleAnyway'>(
      'DoNotSchedule',
      'DoNotSchedule',
      'ScheduleAnyway',
    ),
  })
  .map(({ app, ...constraint }) => ({
    ...constraint,
    selector: aSelector({ app }),
    matchLabelKeys: [],
  }));

const few = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<T[]>([]) },
    { weight: 2, arbitrary: fc.array(arbitrary, { minLength: 1, maxLength: 2 }) },
  );

const weighted = <T>(arbitrary: fc.Arbitrary<T>) => fc.record({ weight: fc.constantFrom(1, 50, 100), term: arbitrary });

const anyNodePreference = weighted(
  fc.constantFrom('fast', 'slow').map((disk) => [{ key: 'disk', operator: 'In' as const, values: [disk] }]),
);

const anySpec: fc.Arbitrary<PodSpec> = fc
  .record({
    cpu: fc.constantFrom(0.1, 0.5, 1),
    memory: fc.constantFrom(0.1, 0.5, 2),
    preferredNodeTerms: few(anyNodePreference),
    preferredPodAffinity: few(weighted(anyTerm)),
    preferredPodAntiAffinity: few(weighted(anyTerm)),
    topologySpread: few(anySpread),
    podAffinity: few(anyTerm),
    podAntiAffinity: few(anyTerm),
    priority: fc.constantFrom(0, 0, 100),
    port: fc.constantFrom(undefined, undefined, 80),
    disk: fc.constantFrom(undefined, undefined, 'fast'),
    isTolerant: fc.boolean(),
  })
  .map(({ cpu, memory, port, disk, isTolerant, ...spec }) =>
    aPodSpec({
      ...spec,
      requests: resources(cpu, memory, { pods: 1 }),
      hostPorts: port === undefined ? [] : [{ port, protocol: 'TCP', ip: '' }],
      nodeSelector: disk === undefined ? {} : { disk },
      tolerations: isTolerant ? [{ operator: 'Exists' }] : [],
    }),
  );

const anyTemplate: fc.Arbitrary<PodTemplate> = fc
  .record({ app: anyApp, spec: anySpec })
  .map(({ app, spec }) => ({ labels: { app }, annotations: {}, spec }));

const AVOIDED: readonly Taint[] = [
  { key: 'surplus', effect: 'PreferNoSchedule' },
  { key: 'old', effect: 'PreferNoSchedule' },
];

const anyNode = fc
  .record({
    zone: fc.constantFrom('a', 'b', 'c', undefined),
    rack: fc.constantFrom('1', '2', undefined),
    disk: fc.constantFrom('fast', 'slow'),
    isTainted: fc.constantFrom(false, false, true),
    avoided: fc.constantFrom(0, 0, 1, 2),
  })
  .map(({ zone, rack, disk, isTainted, avoided }) => (name: string): Node => {
    const { [ZONE_LABEL]: _, ...labels } = aHost(name, { disk }).labels;
    return aHost(
      name,
      {},
      {
        labels: { ...labels, ...(zone ? { [ZONE_LABEL]: zone } : {}), ...(rack ? { rack } : {}) },
        taints: [...(isTainted ? [{ key: 'gpu', effect: 'NoSchedule' as const }] : []), ...AVOIDED.slice(0, avoided)],
      },
    );
  });

interface Step {
  readonly template: number;
  readonly count: number;
  /** Index of the pod that is deleted, if any. */
  readonly deletedPod: number;
  readonly joins: boolean;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  template: fc.nat({ max: 3 }),
  count: fc.integer({ min: 1, max: 6 }),
  deletedPod: fc.nat({ max: 20 }),
  joins: fc.boolean(),
});

const anyHistory = fc.record({
  templates: fc.array(anyTemplate, { minLength: 4, maxLength: 4 }),
  nodes: fc.array(anyNode, { minLength: 4, maxLength: 8 }),
  steps: fc.array(anyStep, { minLength: 1, maxLength: 5 }),
});
type History = typeof anyHistory extends fc.Arbitrary<infer T> ? T : never;

/** Replays a history: pods come in bursts, single pods are deleted, nodes join one by one. */
async function replay({ templates, nodes, steps }: History, onBind: OnBind): Promise<number> {
  const clock = createVirtualClock(NOON);
  const api = anApiServer();
  let [bound, created, joined] = [0, 0, 0];
  api.pods.watch(({ before, after }) => {
    if (before?.nodeName !== undefined || after?.nodeName === undefined) return;
    bound += 1;
    const others = api.pods.list().filter((pod) => pod.uid !== after.uid);
    onBind(after, api.nodes.list(), others);
  });
  startScheduler(clock, api);

  for (const { template, count, deletedPod, joins } of steps) {
    if (joins || joined < 2) {
      const node = nodes[joined]?.(`node-${joined}`);
      joined += 1;
      if (node) api.nodes.put(node.name, node);
    }
    for (let index = 0; index < count; index += 1) {
      created += 1;
      const pod = aPod({ ...templates[template], name: `pod-${created}`, createdAt: clock.now() });
      putPod(api.pods, asNewPod(pod));
    }
    await clock.runUntil(clock.now() + 1_000);
    const gone = api.pods.list()[deletedPod];
    if (gone) terminatePod(api.pods, gone, clock.now(), deletedPod % 2 === 0 ? 0 : 30_000);
    await clock.runUntil(clock.now() + 1_000);
  }
  return bound;
}

type OnBind = (pod: Pod, nodes: readonly Node[], others: readonly Pod[]) => void;

const isFeasible = (pod: Pod, node: Node | undefined, nodes: readonly Node[], others: readonly Pod[]): boolean =>
  node !== undefined && listViolations(pod, node, nodes, others).length === 0;

/** The second model knows no terminating pods. */
const endingPodsAtOnce = ({ steps, ...history }: History): History => ({
  ...history,
  steps: steps.map((step) => ({ ...step, deletedPod: 2 * step.deletedPod })),
});

describe('every binding of the simulated scheduler', () => {
  it('satisfies the rules of kube-scheduler', async () => {
    let bindings = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const wrong: string[] = [];
        bindings += await replay(history, (pod, nodes, others) => {
          const node = nodes.find(({ name }) => name === pod.nodeName);
          if (!node) wrong.push(`${podKey(pod)} on a node that is not there`);
          else wrong.push(...listViolations(pod, node, nodes, others));
        });

        expect(wrong).toEqual([]);
      }),
      { numRuns: 400 },
    );
    expect(bindings).toBeGreaterThan(500);
  });

  it('chooses a node with the best score that a second model of kube-scheduler gives', async () => {
    let choices = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const wrong: string[] = [];
        await replay(endingPodsAtOnce(history), (pod, nodes, others) => {
          const bound = others.filter(({ nodeName }) => nodeName !== undefined);
          const all = nodes.map((node) =>
            createSchedulerNode({
              ...node,
              bound: bound.filter(({ nodeName }) => nodeName === node.name),
              daemonSets: [],
              planned: [],
            }),
          );
          const feasible = all.filter((_, index) => isFeasible(pod, nodes[index], nodes, others));
          const scores = computeScores(pod, feasible, all, { default: {} });
          const chosen = scores[feasible.findIndex(({ node }) => node.name === pod.nodeName)] ?? -1;
          const best = Math.max(...scores);
          if (feasible.length > 1) choices += 1;
          if (chosen < best) wrong.push(`${podKey(pod)}: ${chosen} instead of ${best}`);
        });

        expect(wrong).toEqual([]);
      }),
      { numRuns: 800 },
    );
    expect(choices).toBeGreaterThan(500);
  });

  it('happens if any node fits', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async ({ templates, nodes, steps: [step] }) => {
        const clock = createVirtualClock(NOON);
        const api = anApiServer();
        startScheduler(clock, api);
        for (const [index, make] of nodes.entries()) {
          const node = make(`node-${index}`);
          api.nodes.put(node.name, node);
        }
        for (let index = 0; index < 12; index += 1) {
          const template = templates[(index + (step?.template ?? 0)) % 4];
          putPod(api.pods, asNewPod(aPod({ ...template, name: `pod-${index}` })));
        }
        await clock.runUntil(clock.now() + 5_000);
        const [pods, all] = [api.pods.list(), api.nodes.list()];

        const waiting = pods.filter(({ nodeName }) => nodeName === undefined);
        const missed = waiting.flatMap((pod) =>
          all
            .filter(
              (node) =>
                listViolations(
                  pod,
                  node,
                  all,
                  pods.filter((other) => other !== pod),
                ).length === 0,
            )
            .map(({ name }) => `${pod.name} fits on ${name}`),
        );
        expect(missed).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
