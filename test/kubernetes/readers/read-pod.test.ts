import { describe, expect, it } from 'vitest';
import { ANNOTATIONS } from '../../../shared/api/keys/annotations.ts';
import { readPod } from '../../../shared/kubernetes/readers/read-pod.ts';
import { createPodTemplateReader } from '../../../shared/kubernetes/readers/read-pod-template.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aPodSpec, NOON, resources } from '../../support/builders.ts';
import { aLivePod, aLiveRunningPod, NOON_TEXT } from '../support/live-objects.ts';
import type { RawObject } from '../support/raw-object.ts';

const LATER_TEXT = '2026-01-01T12:01:00Z';
const LATER = NOON + MINUTE_MS;

const observed = (raw: unknown, templates = createPodTemplateReader()) => {
  const reading = readPod(templates, raw);
  if (reading.outcome === 'unreadable') throw new Error(reading.object.why);
  return reading.value;
};
const read = (raw: unknown, templates = createPodTemplateReader()): Pod => observed(raw, templates).pod;

describe('a stored pod', () => {
  it('is read completely while it is pending', () => {
    expect(read(aLivePod())).toEqual({
      namespace: 'default',
      name: 'web-1',
      uid: 'uid-web-1',
      createdAt: NOON,
      owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' },
      labels: { app: 'web' },
      annotations: {},
      spec: aPodSpec({ requests: resources(1, 1, { pods: 1 }) }),
      phase: 'Pending',
      ready: false,
      unschedulableSince: NOON,
    });
  });

  it('has the finalizers that its deletion waits for, and none before', () => {
    const finalizers = ['batch.kubernetes.io/job-tracking'];
    const deleted = read(aLivePod({ metadata: { finalizers, deletionTimestamp: LATER_TEXT } }));

    expect(read(aLivePod({ metadata: { finalizers } })).awaitedFinalizers).toBeUndefined();
    expect(deleted).toMatchObject({ deletionAt: LATER, awaitedFinalizers: finalizers });
  });

  it('is ignored if Fargate runs it', () => {
    const pod = read(aLivePod({ spec: { schedulerName: 'fargate-scheduler' } }));

    expect(pod.unschedulableSince).toBeUndefined();
  });

  it('belongs to its Fargate node, which is not ours', () => {
    const spec = { schedulerName: 'fargate-scheduler', nodeName: 'fargate-ip-10-0-0-7' };

    expect(read(aLivePod({ spec })).nodeName).toBe('fargate-ip-10-0-0-7');
  });

  it('is read completely while it runs', () => {
    const { unschedulableSince: _, ...waiting } = read(aLivePod());

    expect(read(aLiveRunningPod())).toEqual({
      ...waiting,
      nodeName: 'node-1',
      phase: 'Running',
      ready: true,
      startedAt: NOON,
    });
  });

  it.each<[string, RawObject, Partial<Pod>]>([
    [
      'a deletion timestamp as the end of the grace period',
      aLiveRunningPod({ metadata: { deletionTimestamp: LATER_TEXT } }),
      { deletionAt: LATER },
    ],
    [
      'a pod of an unreachable kubelet as running',
      aLiveRunningPod({ status: { phase: 'Unknown' } }),
      { phase: 'Running' },
    ],
    [
      'the nominated node of a preemptor',
      aLivePod({ status: { nominatedNodeName: 'node-2' } }),
      { nominatedNodeName: 'node-2' },
    ],
    [
      'the priority as a number, without its class',
      aLivePod({ spec: { priority: 1000, priorityClassName: 'gold' } }),
      { spec: aPodSpec({ priority: 1000, priorityClassName: 'gold' }) },
    ],
    [
      'volume claims, without other volumes',
      aLivePod({
        spec: {
          volumes: [
            { name: 'kube-api-access-x1', projected: { sources: [] } },
            { name: 'data', persistentVolumeClaim: { claimName: 'data-web-1' } },
          ],
        },
      }),
      { spec: aPodSpec({ volumeClaims: ['data-web-1'] }) },
    ],
  ])('is read: %s', (_, raw, expected) => {
    expect(read(raw)).toMatchObject(expected);
  });

  it.each<[string, object]>([
    ['the kubelet still holds more than the spec', { allocatedResources: { cpu: '6' } }],
    ['the container still runs with more than the spec', { resources: { requests: { cpu: 6 } } }],
    ['the kubelet has freed a part', { allocatedResources: { cpu: '2' }, resources: { requests: { cpu: '6000m' } } }],
  ])('counts the larger amount during an in-place resize: %s', (_, status) => {
    const containers = [{ name: 'web', resources: { requests: { cpu: '2', memory: '1Gi' } } }];
    const raw = aLiveRunningPod({
      spec: { containers },
      status: { containerStatuses: [{ name: 'web', ...status }] },
    });

    expect(read(raw).spec.requests).toEqual(resources(6, 1, { pods: 1 }));
  });

  it('counts the spec of a pod whose resize waits for room', () => {
    const containers = [{ name: 'web', resources: { requests: { cpu: '6', memory: '1Gi' } } }];
    const held = { cpu: '2', memory: '1Gi' };
    const raw = aLiveRunningPod({
      spec: { containers },
      status: {
        containerStatuses: [{ name: 'web', allocatedResources: held, resources: { requests: held } }],
      },
    });

    expect(read(raw).spec.requests).toEqual(resources(6, 1, { pods: 1 }));
  });

  it('counts a resized sidecar with what it holds', () => {
    const resized = { name: 'proxy', restartPolicy: 'Always' };
    const raw = aLiveRunningPod({
      spec: { initContainers: [{ ...resized, resources: { requests: { cpu: '1' } } }] },
      status: { initContainerStatuses: [{ name: 'proxy', allocatedResources: { cpu: '3' } }] },
    });

    expect(read(raw).spec.requests).toEqual(resources(4, 1, { pods: 1 }));
  });

  const withPodResources = (podResources: object, status: Record<string, unknown>) =>
    read(
      aLiveRunningPod({
        spec: {
          resources: podResources,
          containers: [{ name: 'web', resources: { requests: { cpu: '1', memory: '1Gi' } } }],
        },
        status,
      }),
    ).spec.requests;

  it.each<[string, Record<string, unknown>]>([
    ['the kubelet still holds more than the spec', { allocatedResources: { cpu: '6' } }],
    ['the pod still runs with more than the spec', { resources: { requests: { cpu: 6 } } }],
    ['the kubelet has freed a part', { allocatedResources: { cpu: '2' }, resources: { requests: { cpu: '6000m' } } }],
  ])('counts the larger amount while the resources of the whole pod are resized: %s', (_, status) => {
    expect(withPodResources({ requests: { cpu: '2', memory: '1Gi' } }, status)).toEqual(resources(6, 1, { pods: 1 }));
  });

  it('counts the resources of the whole pod in the spec if its resize waits for room', () => {
    const held = { cpu: '2', memory: '1Gi' };

    expect(
      withPodResources(
        { requests: { cpu: '6', memory: '1Gi' } },
        { allocatedResources: held, resources: { requests: held } },
      ),
    ).toEqual(resources(6, 1, { pods: 1 }));
  });

  it('ignores what the whole pod holds if it has no resources of its own', () => {
    const raw = aLiveRunningPod({
      spec: { containers: [{ name: 'web', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
      status: { resources: { requests: { cpu: '6' } } },
    });

    expect(read(raw).spec.requests).toEqual(resources(1, 1, { pods: 1 }));
  });

  it('is not unschedulable while it is gated', () => {
    const gated = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      lastTransitionTime: NOON_TEXT,
    };
    const pod = read(aLivePod({ status: { conditions: [gated] } }));

    expect(pod.unschedulableSince).toBeUndefined();
  });

  it.each(ANNOTATIONS.filter(({ on }) => on === 'Pod').map(({ key }) => key))(
    'keeps the documented annotation %s',
    (key) => {
      const annotations = { [key]: 'true' };

      expect(read(aLivePod({ metadata: { annotations } })).annotations).toEqual(annotations);
    },
  );

  it('keeps no environment, no command and only the annotations that decisions read', () => {
    const pod = read(
      aLivePod({
        metadata: {
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration': '{"env":"hunter2"}',
            'karpenter.sh/do-not-disrupt': 'true',
          },
        },
      }),
    );

    expect(JSON.stringify(pod)).not.toContain('hunter2');
    expect(pod.annotations).toEqual({ 'karpenter.sh/do-not-disrupt': 'true' });
  });
});

describe('pods of one template', () => {
  const volumes = (name: string) => [{ name, projected: { sources: [] } }];
  const pinnedTo = (node: string) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
      },
    },
  });
  const daemon = (node: string) =>
    aLiveRunningPod({
      name: `agent-${node}`,
      metadata: {
        ownerReferences: [{ kind: 'DaemonSet', name: 'agent', uid: 'ds', controller: true }],
      },
      spec: { nodeName: node, affinity: pinnedTo(node) },
    });

  it('share spec and labels, whatever the names of their nodes and token volumes', () => {
    const templates = createPodTemplateReader();
    const one = read(aLivePod({ spec: { volumes: volumes('kube-api-access-a') } }), templates);
    const two = read(aLiveRunningPod({ name: 'web-2', spec: { volumes: volumes('kube-api-access-b') } }), templates);

    expect(two.spec).toBe(one.spec);
    expect(two.labels).toBe(one.labels);
  });

  it('share their spec although a DaemonSet pinned each to its node', () => {
    const templates = createPodTemplateReader();

    expect(read(daemon('node-1'), templates).spec).toBe(read(daemon('node-2'), templates).spec);
    expect(read(daemon('node-1'), templates).spec).toEqual(aPodSpec());
  });

  it('share their spec if the status repeats what the spec requests', () => {
    const templates = createPodTemplateReader();
    const held = { cpu: '1000m', memory: '1Gi' };
    const containers = [{ name: 'web', resources: { requests: { cpu: '1', memory: '1Gi' } } }];
    const one = read(aLiveRunningPod({ spec: { containers } }), templates);
    const two = read(
      aLiveRunningPod({
        spec: { containers },
        status: { containerStatuses: [{ name: 'web', allocatedResources: held }] },
      }),
      templates,
    );

    expect(one.spec).toBe(two.spec);
  });

  it('share nothing that differs', () => {
    const templates = createPodTemplateReader();
    const one = read(aLivePod(), templates);
    const two = read(aLivePod({ spec: { priority: 1 } }), templates);

    expect(two.spec).not.toBe(one.spec);
  });

  it('do not share terms that depend on their own labels', () => {
    const templates = createPodTemplateReader();
    const affinity = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey: 'kubernetes.io/hostname',
            labelSelector: { matchLabels: { app: 'web' } },
            mismatchLabelKeys: ['tenant'],
          },
        ],
      },
    };
    const of = (tenant: string) => read(aLivePod({ metadata: { labels: { tenant } }, spec: { affinity } }), templates);

    expect(of('a').spec).not.toEqual(of('b').spec);
  });
});

describe('the pod event time of a node', () => {
  it('is when a pod was bound to it', () => {
    expect(observed(aLiveRunningPod()).eventAt).toBe(NOON);
  });

  it('is when the last container of a finished pod ended', () => {
    const ended = { state: { terminated: { exitCode: 0, finishedAt: LATER_TEXT } } };
    const pod = aLiveRunningPod({ status: { phase: 'Succeeded', containerStatuses: [ended] } });

    expect(observed(pod).eventAt).toBe(LATER);
  });

  it('is undefined for a pending pod', () => {
    expect(observed(aLivePod()).eventAt).toBeUndefined();
  });
});

describe('a pod that cannot be read', () => {
  it.each<[string, unknown, string]>([
    [
      'an unknown enum value',
      aLivePod({ spec: { tolerations: [{ key: 'a', operator: 'Around' }] } }),
      'spec.tolerations[0].operator: operator "Around" is unknown',
    ],
    ['no containers', aLivePod({ spec: { containers: 'many' } }), 'spec.containers'],
    ['a malformed time', aLivePod({ metadata: { creationTimestamp: 'today' } }), 'metadata.creationTimestamp'],
    ['a spec that is not an object', { ...aLivePod(), spec: [] }, 'spec'],
  ])('is named with field and reason: %s', (_, raw, why) => {
    const reading = readPod(createPodTemplateReader(), raw);

    expect(reading).toMatchObject({
      outcome: 'unreadable',
      object: { kind: 'Pod', namespace: 'default', name: 'web-1', forbids: ['remove'] },
    });
    expect(() => read(raw)).toThrow(why);
  });
});
