import { describe, expect, it } from 'vitest';
import { podTemplateSchema, readPodTemplate } from '../../../shared/api/builtin-resources/pod-template.ts';
import type { DaemonSet } from '../../../shared/model/pods/workload.ts';
import { aDaemonSet, aPodSpec, aPodTemplate, aRunningPod } from '../../support/builders.ts';
import { aCluster, fakeType, HOSTNAME, need, requesting, requiringNode, SIZE, tiny } from '../support/fixture.ts';
import { listLaunchedTypes, provision } from '../support/provision.ts';

const TYPES = [1, 2, 4, 16].map((cpus) => fakeType(`c${cpus}`, { cpus, gib: cpus, pods: 100 }));

/** A DaemonSet with these containers in its template. */
const written = (spec: object): DaemonSet =>
  aDaemonSet({
    template: readPodTemplate(podTemplateSchema.parse({ spec }), { value: 0 }),
  });
const container = (resources: object) => ({ name: 'c', image: 'c', resources });
const beside = (daemonSet: DaemonSet, requests = {}) =>
  provision(aCluster({ types: TYPES, daemonSets: [daemonSet] }), tiny('a', { requests }));

describe('the requests of a DaemonSet template', () => {
  it('default to the limits', () => {
    const greedy = container({
      requests: { cpu: '1' },
      limits: { cpu: '10000', memory: '10000Gi' },
    });

    expect(beside(written({ containers: [greedy] }), requesting(1)).pending).toEqual(['a']);
  });

  it('include an init container that needs more than the containers after it', () => {
    const spec = {
      containers: [container({ requests: { cpu: '1' }, limits: { memory: '1Gi' } })],
      initContainers: [container({ requests: { cpu: '3' }, limits: { memory: '3Gi' } })],
    };

    expect(listLaunchedTypes(beside(written(spec), { pods: 1 }))).toEqual(['c4']);
  });

  it.each([
    ['its init container asks for too much memory', { limits: { memory: '10000Gi' } }],
    ['its init container asks for too many CPUs', { requests: { cpu: '10000' } }],
  ])('leave no room for a pod if %s', (_, resources) => {
    const spec = { containers: [container({})], initContainers: [container(resources)] };

    expect(beside(written(spec), { pods: 1 }).pending).toEqual(['a']);
  });
});

describe('DaemonSets with existing pods', () => {
  const agent = aDaemonSet({
    name: 'agent',
    template: aPodTemplate({ spec: aPodSpec({ requests: requesting(4, 4) }) }),
  });
  const pod = (requests: object, createdAt: number) =>
    aRunningPod('elsewhere', {
      name: `agent-${createdAt}`,
      createdAt,
      spec: aPodSpec({
        requests: { ...requests },
        ...requiringNode(need(HOSTNAME, 'In', 'elsewhere')),
      }),
      owner: { kind: 'DaemonSet', name: 'agent', uid: 'agent' },
    });
  const cluster = (daemonSet: DaemonSet, ...pods: ReturnType<typeof pod>[]) =>
    aCluster({ types: TYPES, daemonSets: [daemonSet], pods });
  const onePod = tiny('a', { requests: requesting(1, 1) });

  it('request what their newest pod requests, not the template', () => {
    const pods = [pod(requesting(16), 1), pod(requesting(2, 2), 2)];

    expect(listLaunchedTypes(provision(cluster(agent, ...pods), onePod))).toEqual(['c4']);
    expect(listLaunchedTypes(provision(cluster(agent), onePod))).toEqual(['c16']);
  });

  it('run where the template says, because the controller pins each pod to a node', () => {
    expect(listLaunchedTypes(provision(cluster(agent, pod(requesting(2, 2), 1)), onePod))).toEqual(['c4']);

    const spec = { ...agent.template.spec, nodeSelector: { [SIZE]: 'large' } };
    const onLarge = { ...agent, template: { ...agent.template, spec } };
    expect(listLaunchedTypes(provision(cluster(onLarge, pod(requesting(2, 2), 1)), onePod))).toEqual(['c2']);
  });
});
