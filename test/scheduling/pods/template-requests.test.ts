import { describe, expect, it } from 'vitest';
import { podTemplateSchema, readPodTemplate } from '../../../shared/api/builtin-resources/pod-template.ts';
import { aCluster, fakeType, tiny } from '../support/fixture.ts';
import { listLaunchedTypes, provision } from '../support/provision.ts';

/** Allocatable of the types: capacity less 100m and 10 MiB. */
const TYPES = [10, 11, 12].map((cpus) => fakeType(`c${cpus}`, { cpus, gib: cpus - 6, pods: 100 }));

const container = (name: string, cpu: string, gib: string, more = {}) => ({
  name,
  image: name,
  resources: { requests: { cpu, memory: `${gib}Gi` } },
  ...more,
});
const sidecar = container('sidecar', '4.9', '2.9', { restartPolicy: 'Always' });

/** The type that a pod with these requests gets. */
function typeFor(spec: object): string[] {
  const template = readPodTemplate(podTemplateSchema.parse({ spec }), { value: 0 });
  return listLaunchedTypes(provision(aCluster({ types: TYPES }), tiny('a', template.spec)));
}

describe('the requests of a pod template', () => {
  it.each([
    ['an init container before a sidecar', [container('init', '10', '4'), sidecar], ['6', '2']],
    ['a sidecar before an init container', [sidecar, container('init', '5', '1')], ['6', '2']],
    ['a sidecar before a larger init container', [sidecar, container('init', '6', '2')], ['5', '1']],
  ])('count %s', (_, initContainers, [cpu = '', gib = '']) => {
    expect(typeFor({ initContainers, containers: [container('app', cpu, gib)] })).toEqual(['c11']);
  });

  it('are those of the pod level, if set, instead of the sum of its containers', () => {
    const spec = {
      resources: { requests: { cpu: '9.9', memory: '3.9Gi' } },
      initContainers: [container('init', '6', '2'), container('sidecar', '4', '2', { restartPolicy: 'Always' })],
      containers: [container('app', '5', '1')],
    };

    expect(typeFor(spec)).toEqual(['c10']);
  });
});
