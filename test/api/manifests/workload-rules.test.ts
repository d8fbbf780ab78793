import { describe, expect, it } from 'vitest';
import { validateManifests } from '../../../shared/api/validate/validate-manifests.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { deployment, documents, job, manifestsIn, problemsIn } from '../support/read-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const container = (fields: Fields, ...others: readonly Fields[]) =>
  deployment({ containers: [{ name: 'main', ...fields }, ...others] });
const resources = (requests: Fields, limits: Fields = {}) => container({ resources: { requests, limits } });
const podAffinity = (field: string, term: Fields) =>
  deployment({ affinity: { [field]: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
const nodeTerms = (...terms: readonly Fields[]) =>
  deployment({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
      },
    },
  });
const nodeExpression = (operator: string, values?: readonly string[], key = 'disk') =>
  nodeTerms({ matchExpressions: [{ key, operator, ...(values && { values }) }] });
const preferredNodes = (expression: Fields) =>
  deployment({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 5, preference: { matchExpressions: [expression] } },
        ],
      },
    },
  });
const tolerations = (...all: readonly Fields[]) => deployment({ tolerations: all });
const WEB = { matchLabels: { app: 'web' } };
const spread = (...all: readonly Fields[]) =>
  deployment({
    topologySpreadConstraints: all.map((one) => ({
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: WEB,
      ...one,
    })),
  });
const selected = (selector: unknown, kind = 'Deployment') => {
  const { spec, ...object } = deployment();
  return { ...object, kind, spec: { ...spec, selector } };
};
const ofKind = (kind: string, spec: Fields) => ({ ...deployment(spec), kind });
const jobOf = (spec: Fields) => job({ template: { spec: { containers: [{ name: 'a' }], ...spec } } });
const aPod = (spec: Fields) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'solo' } },
  spec: { containers: [{ name: 'main' }], ...spec },
});

const validate = (object: unknown) =>
  validateManifests([{ file: 'test.yaml', text: documents(object) }], {
    kubernetesMinor: 36,
    gates: DEFAULT_SETTINGS.gates,
    nodeSizes: [],
  });

/** Workloads that the API server refuses, with the field and words that the answer has. */
const REFUSED: readonly (readonly [title: string, object: unknown, path: string, words: string])[] = [
  [
    'memory requested above its limit',
    resources({ memory: '2Gi' }, { memory: '1536Mi' }),
    'containers[0].resources.requests.memory',
    'above the limit 1536Mi',
  ],
  [
    'a disk above its limit in an init container',
    deployment({
      initContainers: [
        {
          name: 'init',
          resources: {
            requests: { 'ephemeral-storage': '2G' },
            limits: { 'ephemeral-storage': '1G' },
          },
        },
      ],
    }),
    'initContainers[0].resources.requests.ephemeral-storage',
    'lower it to 1G',
  ],
  ['a resource in capitals', resources({ Memory: '1Gi' }), 'containers[0].resources.requests.Memory', 'write memory'],
  [
    'a resource that no container has',
    resources({}, { gpu: '1' }),
    'containers[0].resources.limits.gpu',
    'no resource',
  ],
  [
    'a device without a limit',
    resources({ 'aws.amazon.com/neuron': '1' }),
    'containers[0].resources.requests["aws.amazon.com/neuron"]',
    'no limit',
  ],
  [
    'fewer devices than the limit',
    resources({ 'nvidia.com/gpu': '1' }, { 'nvidia.com/gpu': '2' }),
    'containers[0].resources.requests["nvidia.com/gpu"]',
    'below the limit',
  ],
  [
    'half a device',
    resources({}, { 'nvidia.com/gpu': '500m' }),
    'containers[0].resources.limits["nvidia.com/gpu"]',
    'whole number',
  ],
  ['huge pages alone', resources({}, { 'hugepages-2Mi': '4Mi' }), 'containers[0].resources', 'huge pages'],
  [
    'an init container with the name of a container',
    deployment({ initContainers: [{ name: 'web' }] }),
    'initContainers[0].name',
    '"web"',
  ],
  ['a container with capitals in its name', container({ name: 'Main' }), 'containers[0].name', 'lower-case'],
  [
    'a port of the host twice',
    container({
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80 },
      ],
    }),
    'containers[0].ports[1].hostPort',
    'twice',
  ],
  [
    'two ports on the network of the host',
    deployment({
      hostNetwork: true,
      containers: [{ name: 'a', ports: [{ containerPort: 80, hostPort: 8080 }] }],
    }),
    'containers[0].ports[0].hostPort',
    'write hostPort: 80',
  ],
  [
    'a DaemonSet that restarts on failure',
    ofKind('DaemonSet', { restartPolicy: 'OnFailure' }),
    'restartPolicy',
    'OnFailure',
  ],
  ['a StatefulSet that never restarts', ofKind('StatefulSet', { restartPolicy: 'Never' }), 'restartPolicy', 'Always'],
  ['a Job that always restarts', jobOf({ restartPolicy: 'Always' }), 'restartPolicy', 'Never or OnFailure'],
  ['a Job without a restart policy', jobOf({}), 'restartPolicy', 'write restartPolicy: Never'],
  [
    'a node expression Exists with values',
    nodeExpression('Exists', ['ssd']),
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values',
    'no values',
  ],
  [
    'a node expression NotIn without values',
    nodeExpression('NotIn'),
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values',
    'add values',
  ],
  [
    'a preferred node expression Lt without a value',
    preferredNodes({ key: 'cpus', operator: 'Lt', values: [] }),
    'affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values',
    'exactly one value',
  ],
  [
    'a node expression on no label',
    nodeExpression('Exists', undefined, 'my disk'),
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key',
    'no label key',
  ],
  [
    'no term at all',
    nodeTerms(),
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
    'at least one term',
  ],
  [
    'a field that nodes are not matched by',
    nodeTerms({ matchFields: [{ key: 'spec.podCIDR', operator: 'In', values: ['a'] }] }),
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0]',
    'metadata.name',
  ],
  [
    'an affinity to pods without a topology',
    podAffinity('podAffinity', { topologyKey: '', labelSelector: WEB }),
    'affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
    'empty',
  ],
  [
    'a selector of pods with In and no value',
    podAffinity('podAntiAffinity', {
      topologyKey: 'zone',
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'In' }] },
    }),
    'affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values',
    'one value or more',
  ],
  [
    'matchLabelKeys without a selector',
    podAffinity('podAffinity', { topologyKey: 'zone', matchLabelKeys: ['app'] }),
    'affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys',
    'labelSelector',
  ],
  [
    'the same spread twice, with another skew',
    spread({}, { whenUnsatisfiable: 'ScheduleAnyway' }, { maxSkew: 3 }),
    'topologySpreadConstraints[2].topologyKey',
    'there twice',
  ],
  [
    'minDomains of a spread that is a wish',
    spread({ whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 }),
    'topologySpreadConstraints[0].minDomains',
    'DoNotSchedule',
  ],
  [
    'a spread by a key that its selector has',
    spread({ matchLabelKeys: ['app'] }),
    'topologySpreadConstraints[0].matchLabelKeys',
    'labelSelector too',
  ],
  [
    'a toleration without key and operator',
    tolerations({ value: 'gpu' }),
    'tolerations[0].operator',
    'operator: Exists',
  ],
  [
    'a toleration of any value with a value',
    tolerations({ key: 'gpu', operator: 'Exists', value: 'yes' }),
    'tolerations[0].value',
    'take value out',
  ],
  [
    'a time to tolerate what ends no pod',
    tolerations({ key: 'gpu', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 30 }),
    'tolerations[0].effect',
    'NoExecute',
  ],
  [
    'a node selector with a value that no label has',
    deployment({ nodeSelector: { team: 'a b' } }),
    'nodeSelector.team',
    'no label value',
  ],
];

describe('what the API server refuses in a workload', () => {
  it.each(REFUSED)('is refused by simulate: %s', (_, object, path, words) => {
    const problems = problemsIn(documents(object));

    expect(problems.map((one) => one.path)).toEqual([`spec.template.spec.${path}`]);
    expect(problems.map(({ what, why, fix }) => `${what}: ${why}; ${fix}`).join()).toContain(words);
  });

  it.each(REFUSED)('is refused by validate with the same words: %s', (_, object) => {
    const [problem] = problemsIn(documents(object));
    const [validation] = validate(object);

    expect(validation?.verdict).toBe('refused');
    expect(validation?.problems).toMatchObject([
      { severity: 'error', stage: 'admission', path: problem?.path, fix: problem?.fix },
    ]);
  });

  it.each([
    ['no selector', selected(undefined), 'missing'],
    ['an empty one', selected({}, 'ReplicaSet'), 'empty'],
    ['one of other labels', selected({ matchLabels: { app: 'api' } }, 'StatefulSet'), 'match'],
    [
      'one that excludes them',
      selected({ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, 'DaemonSet'),
      'match',
    ],
  ])('is a workload that does not find its pods: %s', (_, object, words) => {
    const problems = problemsIn(documents(object));

    expect(problems.map(({ path }) => path)).toEqual(['spec.selector']);
    expect(problems[0]?.what).toContain(words);
  });

  it.each([
    ['a pod', aPod({ tolerations: [{ operator: 'Equal' }] }), 'spec.tolerations[0].operator'],
    ['labels of a template', deployment({}, { app: 'web', team: 'a b' }), 'spec.template.metadata.labels.team'],
  ])('is named where it is written: %s', (_, object, path) => {
    expect(problemsIn(documents(object)).map((one) => one.path)).toContain(path);
  });
});

describe('what the API server accepts in a workload', () => {
  it.each<[string, unknown]>([
    ['a limit without a request', resources({}, { 'nvidia.com/gpu': 1, memory: '1Gi' })],
    ['equal requests and limits', resources({ cpu: '1000m', 'a.b/c': '2' }, { cpu: 1, 'a.b/c': 2 })],
    ['a node expression Gt with one value', nodeExpression('Gt', ['7'])],
    ['a toleration of everything', tolerations({ operator: 'Exists' })],
    [
      'a time to tolerate NoExecute',
      tolerations({ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }),
    ],
    ['two spreads over one key', spread({}, { whenUnsatisfiable: 'ScheduleAnyway' })],
    [
      'a port with UDP and TCP',
      container({
        ports: [
          { containerPort: 53, hostPort: 53 },
          { containerPort: 53, hostPort: 53, protocol: 'UDP' },
        ],
      }),
    ],
    ['a pod that never restarts', aPod({ restartPolicy: 'Never' })],
    ['a Job that restarts on failure', jobOf({ restartPolicy: 'OnFailure' })],
    ['a selector by expression', selected({ matchExpressions: [{ key: 'app', operator: 'Exists' }] })],
  ])('is accepted: %s', (_, object) => {
    expect(problemsIn(documents(object))).toEqual([]);
    expect(manifestsIn(documents(object)).warnings).toBeUndefined();
    expect(validate(object).map(({ verdict }) => verdict)).toEqual(['not-judged']);
  });
});
