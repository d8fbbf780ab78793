import { describe, expect, it } from 'vitest';
import type { Job } from '../../../shared/model/pods/workload.ts';
import { aPodSpec } from '../../support/builders.ts';
import { brief, deployment, documents, job, manifestsIn, problemsIn } from '../support/read-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const TEMPLATE = {
  labels: { app: 'web' },
  annotations: {},
  spec: aPodSpec({ requests: { pods: 1 } }),
};
const RUN_FOR = 'simulation.mortise.sh/run-for';

describe('workloads', () => {
  it.each(['Deployment', 'ReplicaSet', 'StatefulSet'])('of kind %s keep equal pods', (kind) => {
    const metadata = { name: 'web', namespace: 'shop', annotations: { note: 'x' } };
    const text = documents({ ...deployment(), kind, metadata });

    expect(manifestsIn(text).workloads).toEqual([
      {
        kind: kind === 'ReplicaSet' ? 'Deployment' : kind,
        namespace: 'shop',
        name: 'web',
        annotations: { note: 'x' },
        replicas: 3,
        template: TEMPLATE,
      },
    ]);
  });

  it('have one pod by default', () => {
    const { template, selector } = deployment().spec;
    const spec = { template, selector };

    expect(manifestsIn(documents({ ...deployment(), spec })).workloads).toMatchObject([{ replicas: 1 }]);
  });

  it('of kind DaemonSet have no number of pods', () => {
    const [workload] = manifestsIn(documents({ ...deployment(), kind: 'DaemonSet' })).workloads;

    expect(workload).toEqual({
      kind: 'DaemonSet',
      namespace: 'default',
      name: 'web',
      annotations: {},
      template: TEMPLATE,
    });
  });

  it.each<[Fields, string]>([
    [{ replicas: 'three' }, 'spec.replicas'],
    [{ replicas: -1 }, 'spec.replicas'],
    [{ replicas: 2_147_483_648 }, 'spec.replicas'],
    [{ template: null }, 'spec.template'],
  ])('are refused with %j', (fields, path) => {
    const spec = { ...deployment().spec, ...fields };

    expect(problemsIn(documents({ ...deployment(), spec })).map((one) => one.path)).toEqual([path]);
  });

  it.each([
    [{ memory: true }, 'write a string or whole number'],
    [{ memory: '4GiB' }, 'write 4Gi'],
  ])('get a helpful message if they request %j', (requests, fix) => {
    const { template } = deployment().spec;
    const spec = { ...template.spec, containers: [{ name: 'a', resources: { requests } }] };
    const written = { ...deployment(), spec: { template: { ...template, spec } } };

    expect(problemsIn(documents(written)).map((one) => one.fix)).toEqual([fix]);
  });
});

describe('a Job', () => {
  const read = (spec: Fields = {}, metadata: Fields = {}): Job => {
    const [workload] = manifestsIn(documents(job(spec, metadata))).workloads;
    if (workload?.kind !== 'Job') throw new Error('no Job was read');
    return workload;
  };
  const running = (...containers: readonly Fields[]) => ({
    template: { spec: { restartPolicy: 'Never', containers } },
  });

  it.each<[Fields, number, number]>([
    [{}, 1, 1],
    [{ completions: 8, parallelism: 3 }, 8, 3],
    [{ completions: 8 }, 8, 1],
    [{ parallelism: 3 }, 3, 3],
    [{ completions: 8, parallelism: 3, suspend: true }, 8, 0],
  ])('with %j has %i completions, %i at a time', (spec, completions, parallelism) => {
    expect(read(spec)).toMatchObject({ completions, parallelism });
  });

  it('runs as long as its annotation says, or else that of its template', () => {
    const template = {
      metadata: { annotations: { [RUN_FOR]: '1.5h' } },
      spec: { restartPolicy: 'OnFailure', containers: [{}] },
    };

    expect(read({}, { annotations: { [RUN_FOR]: '3m' } }).runForMs).toBe(180_000);
    expect(read({ template }).runForMs).toBe(5_400_000);
    expect(read({ template }, { annotations: { [RUN_FOR]: '3m' } }).runForMs).toBe(180_000);
  });

  it.each<[Fields[], number | undefined]>([
    [[{ command: ['sleep', '60'] }], 60_000],
    [[{ command: ['/bin/sleep'], args: ['1.5m'] }], 90_000],
    [[{ command: ['sh', '-c', 'sleep 2h'] }], 7_200_000],
    [[{ command: ['/bin/bash', '-c'], args: ['sleep 5'] }], 5_000],
    [[{ command: ['sleep', '60'] }, { command: ['sleep', '90'] }], 90_000],
    [[{ command: ['sleep', '60'] }, { command: ['work'] }], undefined],
    [[{ command: ['sleep', 'infinity'] }], undefined],
    [[{ command: ['sh', '-c', 'work && sleep 5'] }], undefined],
    [[{}], undefined],
  ])('with containers %j runs for %s ms', (containers, runForMs) => {
    expect(read(running(...containers)).runForMs).toBe(runForMs);
  });

  it.each(['soon', '0s', '-3m', '1d'])('is refused with a run time of %s', (text) => {
    const faulty = job({}, { annotations: { [RUN_FOR]: text } });

    expect(problemsIn(documents(faulty)).map(brief)).toEqual([
      expect.stringMatching(/^bad-duration 1:\d+ metadata.annotations\["simulation.mortise.sh\/run-for"\]$/),
    ]);
  });
});

describe('a standalone pod', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'one', labels: { app: 'web' } },
    spec: { containers: [{}], nodeName: 'of-another-cluster' },
    status: { phase: 'Running' },
  };

  it('is pending, without a node, as newly created', () => {
    expect(manifestsIn(documents(pod)).pods).toEqual([
      {
        ...TEMPLATE,
        namespace: 'default',
        name: 'one',
        uid: 'pod-default-one',
        createdAt: 0,
        phase: 'Pending',
        ready: false,
      },
    ]);
  });
});

describe('a PodDisruptionBudget', () => {
  const budget = (spec: Fields) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web' },
    spec,
  });
  const read = (spec: Fields) => manifestsIn(documents(budget(spec))).podDisruptionBudgets[0];

  it.each<[Fields, Fields]>([
    [{ minAvailable: 1 }, { minAvailable: '1' }],
    [{ maxUnavailable: '50%' }, { maxUnavailable: '50%' }],
    [{ maxUnavailable: 0 }, { maxUnavailable: '0' }],
    [{ unhealthyPodEvictionPolicy: 'AlwaysAllow' }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }],
  ])('keeps %j as written', (spec, expected) => {
    expect(read({ selector: { matchLabels: { app: 'web' } }, ...spec })).toEqual({
      namespace: 'default',
      name: 'web',
      selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
      unhealthyPodEvictionPolicy: 'IfHealthyBudget',
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
      ...expected,
    });
  });

  it('has no selector if none is written', () => {
    expect(read({ minAvailable: 1 })).not.toHaveProperty('selector');
  });

  it.each<[Fields, string]>([
    [{ minAvailable: 1, maxUnavailable: 1 }, 'rule-refused spec'],
    [{ minAvailable: 'half' }, 'rule-refused spec.minAvailable'],
    [{ maxUnavailable: -1 }, 'rule-refused spec.maxUnavailable'],
    [
      { selector: { matchExpressions: [{ key: 'a', operator: 'Gt' }] } },
      'unknown-operator spec.selector.matchExpressions[0].operator',
    ],
  ])('is refused with %j', (spec, refusal) => {
    const refusals = problemsIn(documents(budget(spec))).map(({ code, path }) => `${code} ${path}`);

    expect(refusals).toEqual([refusal]);
  });
});
