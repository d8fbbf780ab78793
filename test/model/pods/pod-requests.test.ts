import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContainerDemand, computePodRequests, type PodDemand } from '../../../shared/model/pods/pod-requests.ts';
import type { Resources } from '../../../shared/model/resources.ts';
import { fits } from '../../support/resources.ts';

const asking = (requests: Resources, limits: Resources = {}): ContainerDemand => ({
  requests,
  limits,
});
const init = (cpu: number) => ({ ...asking({ cpu }), isSidecar: false });
const sidecar = (cpu: number) => ({ ...asking({ cpu }), isSidecar: true });
const NOTHING = asking({});

const requestsOf = (demand: Partial<PodDemand>): Resources =>
  computePodRequests({ containers: [], initContainers: [], pod: NOTHING, overhead: {}, ...demand });

describe('computePodRequests', () => {
  it.each<[string, Partial<PodDemand>, Resources]>([
    ['its containers together', { containers: [asking({ cpu: 1 }), asking({ cpu: 2 })] }, { cpu: 3 }],
    [
      'a limit where there is no request',
      { containers: [asking({ cpu: 1 }, { cpu: 4, memory: 8 })] },
      { cpu: 1, memory: 8 },
    ],
    [
      'an init container that needs more than all that follows',
      { containers: [asking({ cpu: 2 })], initContainers: [init(5), init(1)] },
      { cpu: 5 },
    ],
    [
      'sidecars beside the containers',
      { containers: [asking({ cpu: 2 })], initContainers: [sidecar(1), sidecar(1)] },
      { cpu: 4 },
    ],
    [
      'an init container beside the sidecars before it',
      { containers: [asking({ cpu: 1 })], initContainers: [sidecar(2), init(5), sidecar(1)] },
      { cpu: 7 },
    ],
    [
      'an init container without the sidecars after it',
      { containers: [asking({ cpu: 1 })], initContainers: [init(5), sidecar(2)] },
      { cpu: 5 },
    ],
    [
      'the overhead of its runtime on top',
      { containers: [asking({ cpu: 2 })], overhead: { cpu: 1, memory: 3 } },
      { cpu: 3, memory: 3 },
    ],
    [
      'what the pod itself asks for, in place of the sum',
      { containers: [asking({ cpu: 2, memory: 3 })], pod: asking({ cpu: 1 }) },
      { cpu: 1, memory: 3 },
    ],
    [
      "the pod's limit where no container asks",
      { containers: [asking({ cpu: 2 })], pod: asking({}, { cpu: 9, memory: 4 }) },
      { cpu: 2, memory: 4 },
    ],
    ['nothing but a place', {}, {}],
  ])('computes %s', (_, demand, expected) => {
    expect(requestsOf(demand)).toEqual({ ...expected, pods: 1 });
  });

  it("covers every moment of the pod's life", () => {
    const anyDemand = fc.nat({ max: 9 }).map((cpu) => asking({ cpu }));
    const anyInit = fc.record({
      requests: fc.record({ cpu: fc.nat({ max: 9 }) }),
      limits: fc.constant({}),
      isSidecar: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyDemand), fc.array(anyInit), (containers, initContainers) => {
        const whole = requestsOf({ containers, initContainers });
        for (const container of [...containers, ...initContainers]) {
          expect(fits(container.requests, { cpu: 0, ...whole })).toBe(true);
        }
      }),
    );
  });
});
