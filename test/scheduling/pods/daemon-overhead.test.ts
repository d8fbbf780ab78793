import { describe, expect, it } from 'vitest';
import { INITIALIZED_LABEL, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import type { DaemonSet } from '../../../shared/model/pods/workload.ts';
import type { Taint } from '../../../shared/model/requirements/taints.ts';
import { GIB, MIB } from '../../../shared/model/resources.ts';
import { aDaemonSet, aNode, aNodeClaim, aPodSpec, aPodTemplate, aRunningPod } from '../../support/builders.ts';
import {
  aCluster,
  aPool,
  aPoolRequiring,
  fakeType,
  need,
  requesting,
  SIZE,
  TYPE,
  tiny,
  Z1,
  Z2,
  ZONE,
} from '../support/fixture.ts';
import { isPlanned, listLaunchedTypes, provision } from '../support/provision.ts';

/** Four sizes, each twice the one before; types with 16 CPUs or more are large. */
const TYPES = [1, 2, 4, 16].map((cpus) => fakeType(`c${cpus}`, { cpus, gib: cpus, pods: 100 }));
const daemon = (name: string, spec: Partial<PodSpec>): DaemonSet =>
  aDaemonSet({
    name,
    template: aPodTemplate({ labels: { app: name }, spec: aPodSpec(spec) }),
  });
const withDaemons = (...daemonSets: DaemonSet[]) => aCluster({ types: TYPES, daemonSets });
const pod = (over: Partial<PodSpec> = {}) => tiny('a', { requests: requesting(1, 1), ...over });
const twoOfEach = { requests: requesting(2, 2) };
const TAINT: Taint = { key: 'dedicated', effect: 'NoSchedule' };
const port = (number: number) => ({ hostPorts: [{ port: number, protocol: 'TCP', ip: '' }] });

describe('DaemonSet overhead', () => {
  it.each<[string, DaemonSet[], string | undefined]>([
    ['is kept beside the pod', [daemon('d', twoOfEach)], 'c4'],
    ['may leave no room for the pod', [daemon('d', { requests: requesting(10_000) })], undefined],
    ['is zero if nothing is requested', [daemon('d', { requests: { pods: 1 } })], 'c2'],
    [
      'is not kept for one that selects what no node has',
      [daemon('d', { ...twoOfEach, nodeSelector: { undefined: 'x' } })],
      'c2',
    ],
    [
      'is not kept for one that selects another type',
      [daemon('d', { ...twoOfEach, nodeSelector: { [TYPE]: 'none' } })],
      'c2',
    ],
    [
      'is kept on the types that it runs on',
      [
        daemon('small', { requests: requesting(1), nodeSelector: { [SIZE]: 'small' } }),
        daemon('large', { requests: requesting(10), nodeSelector: { [SIZE]: 'large' } }),
      ],
      'c4',
    ],
    [
      'is kept for one that only excludes what no node has',
      [
        daemon('d', {
          ...twoOfEach,
          requiredNodeTerms: [[need('undefined', 'NotIn', 'x')]],
        }),
      ],
      'c4',
    ],
    [
      'is kept for one of whose terms any holds',
      [
        daemon('d', {
          ...twoOfEach,
          requiredNodeTerms: [[need(ZONE, 'In', 'none')], [need(SIZE, 'In', 'small')]],
        }),
      ],
      'c4',
    ],
    [
      'is kept whatever it prefers',
      [
        daemon('d', {
          ...twoOfEach,
          preferredNodeTerms: [{ weight: 1, term: [need(ZONE, 'In', 'none')] }],
        }),
      ],
      'c4',
    ],
  ])('%s', (_, daemonSets, type) => {
    const outcome = provision(withDaemons(...daemonSets), pod());

    expect(listLaunchedTypes(outcome)).toEqual(type === undefined ? [] : [type]);
  });

  it.each<[string, Parameters<typeof aPool>[0], string]>([
    ['is kept if only startup taints are not tolerated', { startupTaints: [TAINT] }, 'c4'],
    ['is not kept if taints are not tolerated', { taints: [TAINT] }, 'c2'],
    ['is kept if preferences are not met', { taints: [{ ...TAINT, effect: 'PreferNoSchedule' }] }, 'c4'],
    ['is kept if a NodePool label is selected', { labels: { team: 'a' } }, 'c4'],
  ])('%s', (_, pool, type) => {
    const selecting = pool?.labels ? { nodeSelector: { team: 'a' } } : {};
    const cluster = aCluster({
      types: TYPES,
      pools: [aPool(pool)],
      daemonSets: [daemon('d', { ...twoOfEach, ...selecting })],
    });
    const tolerations = [{ operator: 'Exists' as const }];

    expect(listLaunchedTypes(provision(cluster, pod({ tolerations })))).toEqual([type]);
  });

  it('counts DaemonSets that select registered or initialized nodes, without these labels on the claim', () => {
    const outcome = provision(
      withDaemons(
        daemon('one', { requests: requesting(1), nodeSelector: { [REGISTERED_LABEL]: 'true' } }),
        daemon('two', { requests: requesting(1), nodeSelector: { [INITIALIZED_LABEL]: 'true' } }),
      ),
      tiny('a', { requests: requesting(2) }),
    );
    const claim = outcome.plan.claims[0]?.claim;
    const keys = [...(claim?.requirements ?? []).map(({ key }) => key), ...Object.keys(claim?.labels ?? {})];

    expect(listLaunchedTypes(outcome)).toEqual(['c16']);
    expect(keys).not.toContain(REGISTERED_LABEL);
    expect(keys).not.toContain(INITIALIZED_LABEL);
  });
});

describe('host ports of DaemonSets', () => {
  it('are used on every node', () => {
    const cluster = withDaemons(daemon('d', { ...twoOfEach, ...port(8080) }));

    expect(provision(cluster, pod(port(8080))).pending).toEqual(['a']);
  });

  it('are used only where the DaemonSet runs', () => {
    const cluster = withDaemons(
      daemon('large', { nodeSelector: { [SIZE]: 'large' }, ...port(8080) }),
      daemon('small', { ...twoOfEach, nodeSelector: { [SIZE]: 'small' }, ...port(8081) }),
    );
    const outcome = provision(cluster, pod({ ...port(8080), nodeSelector: { [SIZE]: 'small' } }));

    expect(listLaunchedTypes(outcome)).toEqual(['c4']);
  });
});

describe('DaemonSets on existing nodes', () => {
  const owner = (name: string) => ({ kind: 'DaemonSet', name, uid: name });
  const node = aNode({ allocatable: { cpu: 15_900, memory: 64 * GIB, pods: 100 } });
  const runs = (name: string, cpus: number) =>
    aRunningPod('node-1', {
      name,
      owner: owner(name),
      spec: aPodSpec({ requests: requesting(cpus) }),
    });

  it.each([
    [14.9, true],
    [15, false],
  ])('are not subtracted twice if their pod is bound, %f CPUs', (cpus, fits) => {
    const cluster = {
      ...withDaemons(daemon('d', { requests: requesting(1) })),
      nodes: [node],
      pods: [runs('d', 1)],
    };
    const outcome = provision(cluster, tiny('a', { requests: requesting(cpus) }));

    expect(isPlanned(outcome, 'a', 'node-1')).toBe(fits);
  });

  it('free no capacity if a pod runs where it should not', () => {
    const cluster = {
      ...withDaemons(daemon('tiny', { requests: requesting(0.001) })),
      nodes: [node],
      pods: [runs('stranger', 1)],
    };

    expect(isPlanned(provision(cluster, tiny('a', { requests: requesting(15.5) })), 'a')).toBe(false);
  });

  it('do not reduce nodes on which they do not run, while new nodes have no room', () => {
    const bare = aNode({ labels: {}, allocatable: { cpu: 1000, memory: GIB, pods: 10 } });
    const cluster = {
      ...withDaemons(daemon('huge', { requests: requesting(100), nodeSelector: { [ZONE]: Z1 } })),
      nodes: [bare],
      pools: [aPoolRequiring(need(ZONE, 'In', Z1))],
    };

    const outcome = provision(cluster, pod(), tiny('b', { requests: requesting(1, 1) }));

    expect(outcome.pending).toHaveLength(1);
    expect(outcome.plan.placements).toHaveLength(1);
  });
});

describe('the requests of a claim', () => {
  const small = { requests: { cpu: 1000, memory: MIB, pods: 1 } };
  it.each([
    [1, { cpu: 2000, memory: 2 * MIB, pods: 2 }],
    [2, { cpu: 3000, memory: 3 * MIB, pods: 3 }],
  ])('are those of %i pods and the DaemonSet', (count, requests) => {
    const pods = Array.from({ length: count }, (_, index) => tiny(`a-${index}`, small));
    const outcome = provision(withDaemons(daemon('d', small)), ...pods);

    expect(outcome.plan.claims.map(({ claim }) => claim.requests)).toEqual([requests]);
  });

  it('include a DaemonSet only if it runs on every remaining type', () => {
    const cluster = withDaemons(daemon('large', { requests: requesting(1), nodeSelector: { [SIZE]: 'large' } }));

    expect(provision(cluster, tiny('a', small)).plan.claims[0]?.claim.requests).toEqual(small.requests);
  });

  it('are those of the pods alone without DaemonSets', () => {
    expect(provision(withDaemons(), tiny('a', small)).plan.claims[0]?.claim.requests).toEqual(small.requests);
  });
});

describe('DaemonSets on claims that are not launched yet', () => {
  it('count if any possible instance type would run them', () => {
    const inZone = daemon('in-zone', { ...twoOfEach, nodeSelector: { [ZONE]: Z1 } });
    const claim = aNodeClaim({
      name: 'asked',
      pool: 'default',
      instanceTypes: ['c4'],
      requirements: [need(ZONE, 'In', Z1, Z2)],
    });
    const cluster = { ...withDaemons(inZone), claims: [claim] };

    expect(isPlanned(provision(cluster, pod({ requests: requesting(3, 3) })), 'a')).toBe(false);
    expect(isPlanned(provision(cluster, pod()), 'a')).toBe(true);
  });
});
