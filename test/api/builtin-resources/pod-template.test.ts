import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { GIB } from '../../../shared/model/resources.ts';
import { aPodSpec } from '../../support/builders.ts';
import { brief, deployment, documents, manifestsIn, problemsIn } from '../support/read-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const read = (spec: Fields = {}, labels: Fields = { app: 'web' }): PodSpec => {
  const [workload] = manifestsIn(documents(deployment(spec, labels))).workloads;
  if (!workload) throw new Error('no workload was read');
  return workload.template.spec;
};

const container = (resources: Fields, more: Fields = {}) => ({ resources, ...more });
const requests = (cpu: string) => ({ requests: { cpu } });
const webSelector = { matchLabels: { app: 'web' } };
const WEB = { matchLabels: { app: 'web' }, matchExpressions: [] };

describe('the pods of a manifest', () => {
  it('need no other field than a container', () => {
    expect(read()).toEqual(aPodSpec({ requests: { pods: 1 } }));
  });

  it('request the largest sum of their containers at any time', () => {
    const spec = {
      containers: [
        container({ requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi' } }),
        container({ limits: { cpu: 1, 'nvidia.com/gpu': 1 } }),
      ],
      initContainers: [container(requests('300m'), { restartPolicy: 'Always' }), container(requests('4'))],
      overhead: { memory: '120Mi' },
    };

    expect(read(spec).requests).toEqual({
      cpu: 4300,
      memory: GIB + 120 * 2 ** 20,
      'nvidia.com/gpu': 1,
      pods: 1,
    });
  });

  it('request the pod-level resources if they are set', () => {
    const spec = {
      containers: [container({ requests: { cpu: '500m', memory: '1Gi' } })],
      resources: { requests: { cpu: '2' } },
    };

    expect(read(spec).requests).toEqual({ cpu: 2000, memory: GIB, pods: 1 });
  });

  it('select nodes by selector and affinity', () => {
    const spec = {
      nodeSelector: { 'kubernetes.io/arch': 'arm64' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['3'] }] },
              {},
              { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 5, preference: { matchExpressions: [{ key: 'b', operator: 'Exists' }] } },
          ],
        },
      },
    };

    expect(read(spec)).toMatchObject({
      nodeSelector: { 'kubernetes.io/arch': 'arm64' },
      requiredNodeTerms: [
        [{ key: 'a', operator: 'Gt', values: ['3'] }],
        // An empty term selects no node, because every node has the OS label.
        [{ key: 'kubernetes.io/os', operator: 'DoesNotExist' }],
        [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
      ],
      preferredNodeTerms: [{ weight: 5, term: [{ key: 'b', operator: 'Exists' }] }],
    });
  });

  it('have tolerations with the defaults of Kubernetes', () => {
    const tolerations = [
      { key: 'a', value: 'b', effect: 'NoExecute', tolerationSeconds: 30 },
      { operator: 'Exists', effect: '' },
      { key: 'sla', operator: 'Gt', value: '950' },
    ];

    expect(read({ tolerations }).tolerations).toEqual([
      { key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute' },
      { operator: 'Exists' },
      { key: 'sla', operator: 'Gt', value: '950' },
    ]);
  });

  it('have spread constraints with the defaults of Kubernetes', () => {
    const zone = {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
    };
    const spec = {
      topologySpreadConstraints: [
        {
          ...zone,
          labelSelector: webSelector,
          minDomains: 3,
          matchLabelKeys: ['pod-template-hash'],
        },
        {
          ...zone,
          whenUnsatisfiable: 'ScheduleAnyway',
          nodeAffinityPolicy: 'Ignore',
          nodeTaintsPolicy: 'Honor',
        },
      ],
    };
    const common = {
      key: 'topology.kubernetes.io/zone',
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
    };

    expect(read(spec).topologySpread).toEqual([
      {
        ...common,
        selector: WEB,
        matchLabelKeys: ['pod-template-hash'],
        minDomains: 3,
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
      },
      {
        ...common,
        whenUnsatisfiable: 'ScheduleAnyway',
        matchLabelKeys: [],
        nodeAffinityPolicy: 'Ignore',
        nodeTaintsPolicy: 'Honor',
      },
    ]);
  });

  it('have affinity and anti-affinity to other pods', () => {
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: webSelector };
    const spec = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, namespaces: ['shop'] }],
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 7, podAffinityTerm: { ...term, namespaceSelector: {} } },
          ],
        },
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { ...term, matchLabelKeys: ['version'], mismatchLabelKeys: ['tenant', 'absent'] },
          ],
        },
      },
    };
    const common = { key: 'kubernetes.io/hostname', selector: WEB, matchLabelKeys: [] };

    expect(read(spec, { app: 'web', tenant: 'a' })).toMatchObject({
      podAffinity: [{ ...common, namespaces: ['shop'] }],
      preferredPodAffinity: [
        {
          weight: 7,
          term: {
            ...common,
            namespaces: [],
            namespaceSelector: { matchLabels: {}, matchExpressions: [] },
          },
        },
      ],
      podAntiAffinity: [
        {
          ...common,
          selector: {
            ...WEB,
            matchExpressions: [{ key: 'tenant', operator: 'NotIn', values: ['a'] }],
          },
          matchLabelKeys: ['version'],
          namespaces: [],
        },
      ],
      preferredPodAntiAffinity: [],
    });
  });

  it('occupy ports of the node', () => {
    const ports = [
      { containerPort: 80 },
      { containerPort: 443, hostPort: 8443, hostIP: '0.0.0.0' },
      { containerPort: 53, hostPort: 53, protocol: 'UDP', hostIP: '10.0.0.1' },
    ];
    const containers = [container({}, { ports })];

    expect(read({ containers }).hostPorts).toEqual([
      { port: 8443, protocol: 'TCP', ip: '' },
      { port: 53, protocol: 'UDP', ip: '10.0.0.1' },
    ]);
    const onHost = [container({}, { ports: [{ containerPort: 80 }, { containerPort: 443 }] })];
    expect(read({ containers: onHost, hostNetwork: true }).hostPorts).toHaveLength(2);
  });

  it('have volumes, scheduling gates and a grace period', () => {
    const spec = {
      volumes: [
        { name: 'a', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'b', emptyDir: {} },
      ],
      schedulingGates: [{ name: 'quota' }],
      terminationGracePeriodSeconds: 0,
    };

    expect(read(spec)).toMatchObject({
      volumeClaims: ['data'],
      schedulingGates: ['quota'],
      terminationGracePeriodMs: 0,
    });
  });

  it('may have unknown fields', () => {
    expect(read({ hostnameOverride: 'x', containers: [{ image: 'x', livenessProbe: 5 }] })).toEqual(
      aPodSpec({ requests: { pods: 1 } }),
    );
  });

  it.each<[Fields, string]>([
    [{ containers: [] }, 'rule-refused containers'],
    [
      { containers: [container({ requests: { memory: '1 Gi' } })] },
      'bad-quantity containers[0].resources.requests.memory',
    ],
    [{ containers: [container({ requests: { cpu: '-1' } })] }, 'bad-quantity containers[0].resources.requests.cpu'],
    [{ tolerations: [{ operator: 'Exist' }] }, 'unknown-operator tolerations[0].operator'],
    [
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gte' }] }],
            },
          },
        },
      },
      'unknown-operator affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator',
    ],
  ])('are refused because of %j', (spec, refusal) => {
    const refusals = problemsIn(documents(deployment(spec))).map(brief);

    const [code, path] = refusal.split(' ');
    expect(refusals).toEqual([expect.stringMatching(new RegExp(`^${code} \\d+:\\d+ spec\\.template\\.spec\\.`))]);
    expect(refusals[0]?.endsWith(`.${path}`)).toBe(true);
  });
});

describe('the priority of pods', () => {
  const priorityClass = (name: string, value: number, more: Fields = {}) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    ...more,
  });
  const priorityOf = (spec: Fields, ...classes: readonly unknown[]) => {
    const [workload] = manifestsIn(documents(deployment(spec), ...classes)).workloads;
    return [workload?.template.spec.priority, workload?.template.spec.priorityClassName];
  };

  it('is that of their class, wherever in the files the class is', () => {
    expect(priorityOf({ priorityClassName: 'high' }, priorityClass('high', 1000))).toEqual([1000, 'high']);
  });

  it.each([
    ['system-cluster-critical', 2_000_000_000],
    ['system-node-critical', 2_000_001_000],
  ])('is predefined for class %s', (priorityClassName, value) => {
    expect(priorityOf({ priorityClassName })).toEqual([value, priorityClassName]);
  });

  it.each([
    [{}, 0],
    [{ priority: 700 }, 700],
  ])('is the written one, with a warning, if the class is not there: %j', (spec, priority) => {
    const written = deployment({ priorityClassName: 'high', ...spec });

    expect(priorityOf({ priorityClassName: 'high', ...spec })).toEqual([priority, undefined]);
    expect(manifestsIn(documents(written)).warnings?.map(brief)).toEqual([
      expect.stringContaining('spec.template.spec.priorityClassName'),
    ]);
  });

  it('is the global default for pods without a class', () => {
    expect(priorityOf({}, priorityClass('usual', 5, { globalDefault: true }))).toEqual([5, 'usual']);
    expect(priorityOf({}, priorityClass('high', 1000))).toEqual([0, undefined]);
  });
});
