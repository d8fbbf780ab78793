import { describe, expect, it } from 'vitest';
import { podTemplateSchema, readPodTemplate } from '../../shared/api/builtin-resources/pod-template.ts';
import type { DaemonSet } from '../../shared/model/pods/workload.ts';
import { aDaemonSet, aPodSpec, aPodTemplate, aRunningPod } from '../support/builders.ts';
import { aCluster, asking, fakeType, HOSTNAME, mustBe, need, SIZE, tiny } from './fixture.ts';
import { provision, typesOf } from './provision.ts';

const TYPES = [1, 2, 4, 16].map((cpus) => fakeType(`c${cpus}`, { cpus, gib: cpus, pods: 100 }));

/** A DaemonSet whose template is written so. */
const written = (spec: object): DaemonSet =>
  aDaemonSet({
    template: readPodTemplate(podTemplateSchema.parse({ spec }), { value: 0 }),
  });
const container = (resources: object) => ({ name: 'c', image: 'c', resources });
const beside = (daemonSet: DaemonSet, requests = {}) =>
  provision(aCluster({ types: TYPES, daemonSets: [daemonSet] }), tiny('a', { requests }));

describe('what DaemonSets are written to ask for', () => {
  it('a limit stands for a request that is missing', () => {
    const greedy = container({
      requests: { cpu: '1' },
      limits: { cpu: '10000', memory: '10000Gi' },
    });

    expect(beside(written({ containers: [greedy] }), asking(1)).pending).toEqual(['a']);
  });

  it('an init container counts where it needs more than what follows', () => {
    const spec = {
      containers: [container({ requests: { cpu: '1' }, limits: { memory: '1Gi' } })],
      initContainers: [container({ requests: { cpu: '3' }, limits: { memory: '3Gi' } })],
    };

    expect(typesOf(beside(written(spec), { pods: 1 }))).toEqual(['c4']);
  });

  it.each([
    ['its init container asks for too much memory', { limits: { memory: '10000Gi' } }],
    ['its init container asks for too many CPUs', { requests: { cpu: '10000' } }],
  ])('no pod fits where %s', (_, resources) => {
    const spec = { containers: [container({})], initContainers: [container(resources)] };

    expect(beside(written(spec), { pods: 1 }).pending).toEqual(['a']);
  });
});

describe('DaemonSets that have pods already', () => {
  const agent = aDaemonSet({
    name: 'agent',
    template: aPodTemplate({ spec: aPodSpec({ requests: asking(4, 4) }) }),
  });
  const pod = (requests: object, createdAt: number) =>
    aRunningPod('elsewhere', {
      name: `agent-${createdAt}`,
      createdAt,
      spec: aPodSpec({ requests: { ...requests }, ...mustBe(need(HOSTNAME, 'In', 'elsewhere')) }),
      owner: { kind: 'DaemonSet', name: 'agent', uid: 'agent' },
    });
  const cluster = (daemonSet: DaemonSet, ...pods: ReturnType<typeof pod>[]) =>
    aCluster({ types: TYPES, daemonSets: [daemonSet], pods });
  const onePod = tiny('a', { requests: asking(1, 1) });

  it('the newest of them says what is asked for, not the template', () => {
    const pods = [pod(asking(16), 1), pod(asking(2, 2), 2)];

    expect(typesOf(provision(cluster(agent, ...pods), onePod))).toEqual(['c4']);
    expect(typesOf(provision(cluster(agent), onePod))).toEqual(['c16']);
  });

  it('where they run is for the template to say: each pod is pinned to its node', () => {
    expect(typesOf(provision(cluster(agent, pod(asking(2, 2), 1)), onePod))).toEqual(['c4']);

    const spec = { ...agent.template.spec, nodeSelector: { [SIZE]: 'large' } };
    const onLarge = { ...agent, template: { ...agent.template, spec } };
    expect(typesOf(provision(cluster(onLarge, pod(asking(2, 2), 1)), onePod))).toEqual(['c2']);
  });
});
