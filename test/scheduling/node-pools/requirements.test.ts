import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { aSelector } from '../../support/builders.ts';
import {
  ARCH,
  aCluster,
  aPool,
  aPoolRequiring,
  createPods,
  createStepTypes,
  HOSTNAME,
  INTEGER,
  need,
  prefers,
  requesting,
  requiringNode,
  TYPE,
  tiny,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import {
  findNodeOfPod,
  findZoneOfPod,
  listOpenTypes,
  listReasonCodes,
  type ProvisionOutcome,
  provision,
} from '../support/provision.ts';

const KEY = 'test-key';
const labelled = aCluster({ pools: [aPool({ labels: { [KEY]: 'test-value' } })] });
const testValue = (outcome: ProvisionOutcome, pod: string): string | undefined =>
  findNodeOfPod(outcome, pod)?.labels[KEY];

describe('NodePool labels', () => {
  const FAILS = 'fails';
  it.each<[string, Partial<PodSpec>, string]>([
    ['an unconstrained pod gets a node with the label', {}, 'test-value'],
    ['another value fails', { nodeSelector: { [KEY]: 'different' } }, FAILS],
    ['an unknown key fails', { nodeSelector: { 'undefined-key': 'x' } }, FAILS],
    ['one of several values', requiringNode(need(KEY, 'In', 'test-value', 'another')), 'test-value'],
    ['none of the values', requiringNode(need(KEY, 'In', 'another')), FAILS],
    ['In on an undefined key fails', requiringNode(need('undefined-key', 'In', 'x')), FAILS],
    ['Exists on an undefined key fails', requiringNode(need('undefined-key', 'Exists')), FAILS],
    ['NotIn on an undefined key', requiringNode(need('undefined-key', 'NotIn', 'x')), 'test-value'],
    ['DoesNotExist on an undefined key', requiringNode(need('undefined-key', 'DoesNotExist')), 'test-value'],
  ])('are matched: %s', (_, spec, expected) => {
    const outcome = provision(labelled, tiny('a', spec));

    if (expected === FAILS) expect(outcome.pending).toEqual(['a']);
    else expect(testValue(outcome, 'a')).toBe(expected);
    expect(findNodeOfPod(outcome, 'a')?.labels['undefined-key']).toBeUndefined();
  });
});

describe('NodePool requirements', () => {
  const requiring = aCluster({ pools: [aPoolRequiring(need(KEY, 'In', 'test-value'))] });
  it.each<[string, Partial<PodSpec>, boolean]>([
    ['NotIn of its only value fails', requiringNode(need(KEY, 'NotIn', 'test-value')), false],
    ['Exists is met', requiringNode(need(KEY, 'Exists')), true],
    ['DoesNotExist fails', requiringNode(need(KEY, 'DoesNotExist')), false],
    ['NotIn of another value is met', requiringNode(need(KEY, 'NotIn', 'another')), true],
  ])('are matched: %s', (_, spec, placed) => {
    expect(provision(requiring, tiny('a', spec)).pending).toEqual(placed ? [] : ['a']);
  });

  const both = aCluster({ pools: [aPoolRequiring(need(KEY, 'In', 'test-value', 'another'))] });
  const onTestValue = tiny('a', requiringNode(need(KEY, 'In', 'test-value')));

  it('let pods share a node that carries a value which both accept', () => {
    const outcome = provision(both, onTestValue, tiny('b', requiringNode(need(KEY, 'NotIn', 'another'))));

    expect(outcome.launched).toHaveLength(1);
    expect(testValue(outcome, 'a')).toBe('test-value');
    expect(testValue(outcome, 'b')).toBe('test-value');
  });

  it('give pods with different values a node each', () => {
    const outcome = provision(both, onTestValue, tiny('b', requiringNode(need(KEY, 'In', 'another'))));

    expect(outcome.launched).toHaveLength(2);
    expect(testValue(outcome, 'a')).toBe('test-value');
    expect(testValue(outcome, 'b')).toBe('another');
  });

  it('are not changed by an additional Exists', () => {
    const spec = requiringNode(need(KEY, 'In', 'test-value'), need(KEY, 'Exists'));

    expect(testValue(provision(both, tiny('a', spec)), 'a')).toBe('test-value');
  });

  it('exclude a forbidden zone and allow others', () => {
    const inZ1 = aCluster({ pools: [aPoolRequiring(need(ZONE, 'In', Z1))] });
    const outcome = provision(
      inZ1,
      tiny('a', { nodeSelector: { [ZONE]: Z1 } }),
      tiny('b', { nodeSelector: { [ZONE]: Z2 } }),
    );

    expect(findZoneOfPod(outcome, 'a')).toBe(Z1);
    expect(outcome.pending).toEqual(['b']);
  });
});

describe('well-known labels', () => {
  it.each<[string, Partial<PodSpec>]>([
    ['a hostname', { nodeSelector: { [HOSTNAME]: 'red-node' } }],
    ['an unknown zone', { nodeSelector: { [ZONE]: 'unknown' } }],
    ['no zone left', requiringNode(need(ZONE, 'NotIn', Z1, Z2, Z3, 'unknown'))],
  ])('fail with %s', (_, spec) => {
    expect(provision(aCluster(), tiny('a', spec)).pending).toEqual(['a']);
  });

  it.each<[string, Partial<PodSpec>]>([
    ['In one', requiringNode(need(ZONE, 'In', Z3))],
    ['NotIn the others', requiringNode(need(ZONE, 'NotIn', Z1, Z2, 'unknown'))],
  ])('select the zone with %s', (_, spec) => {
    expect(findZoneOfPod(provision(aCluster(), tiny('a', spec)), 'a')).toBe(Z3);
  });

  it.each<[string, Partial<PodSpec>, string[]]>([
    ['Gt 8', requiringNode(need(INTEGER, 'Gt', '8')), ['arm']],
    ['Lt 8', requiringNode(need(INTEGER, 'Lt', '4')), ['small']],
    ['Gte 16', requiringNode(need(INTEGER, 'Gte', '16')), ['arm']],
    ['Lte 2', requiringNode(need(INTEGER, 'Lte', '2')), ['small']],
  ])('compare numbers with %s', (_, spec, types) => {
    expect(listOpenTypes(provision(aCluster(), tiny('a', spec)))).toEqual(types);
  });
});

describe('required and preferred node affinity', () => {
  const anyZone = need(ZONE, 'In', Z1, Z2, Z3);
  it.each<[string, Partial<PodSpec>, string]>([
    [
      'the preferred one of the required zones',
      {
        ...requiringNode(need(ZONE, 'In', Z1, Z2, Z3, 'unknown')),
        ...prefers([1, need(ZONE, 'In', Z2, 'unknown')]),
      },
      Z2,
    ],
    [
      'the only zone that is not disliked',
      { ...requiringNode(anyZone), ...prefers([1, need(ZONE, 'NotIn', Z1, Z3)]) },
      Z2,
    ],
    [
      'selector, requirement and preference at once',
      { nodeSelector: { [ZONE]: Z3 }, ...requiringNode(anyZone), ...prefers([1, anyZone]) },
      Z3,
    ],
  ])('select %s', (_, spec, zone) => {
    expect(findZoneOfPod(provision(aCluster(), tiny('a', spec)), 'a')).toBe(zone);
  });

  it.each<[string, Partial<PodSpec>]>([
    ['no zone is preferred that exists', { ...requiringNode(anyZone), ...prefers([1, need(ZONE, 'In', 'unknown')]) }],
    ['every zone is disliked', { ...requiringNode(anyZone), ...prefers([1, need(ZONE, 'NotIn', Z1, Z2, Z3)]) }],
  ])('drop the preference if %s', (_, spec) => {
    expect(provision(aCluster(), tiny('a', spec)).pending).toEqual([]);
  });

  it('combine zone and type selectors with preferences at no cost', () => {
    const spec = {
      nodeSelector: { [ZONE]: Z3, [TYPE]: 'arm' },
      ...requiringNode(need(ZONE, 'In', Z1, Z3), need(TYPE, 'In', 'default', 'arm')),
      ...prefers([1, need(ZONE, 'NotIn', 'unknown'), need(TYPE, 'NotIn', 'unknown')]),
    };
    const outcome = provision(aCluster(), tiny('a', spec));

    expect(findZoneOfPod(outcome, 'a')).toBe(Z3);
    expect(findNodeOfPod(outcome, 'a')?.labels[TYPE]).toBe('arm');
  });
});

describe('deprecated label names', () => {
  it.each(['kubernetes.io/team', 'k8s.io/team', 'node.kubernetes.io/team', 'sub.node.kubernetes.io/team'])(
    'allow NodePools to set %s and pods to select it',
    (key) => {
      const cluster = aCluster({ pools: [aPool({ labels: { [key]: 'blue' } })] });
      const outcome = provision(cluster, tiny('a', { nodeSelector: { [key]: 'blue' } }));

      expect(findNodeOfPod(outcome, 'a')?.labels[key]).toBe('blue');
    },
  );

  it.each([
    ['failure-domain.beta.kubernetes.io/zone', Z3, ZONE],
    ['beta.kubernetes.io/arch', 'arm64', ARCH],
    ['beta.kubernetes.io/instance-type', 'gpu-a', TYPE],
  ])('treat %s as the stable label', (key, value, stable) => {
    const outcome = provision(aCluster(), tiny('a', { nodeSelector: { [key]: value } }));

    expect(findNodeOfPod(outcome, 'a')?.labels[stable]).toBe(value);
  });

  it.each([
    ['zone', ZONE],
    ['nodepool', 'karpenter.sh/nodepool'],
    ['arch', ARCH],
    ['region', 'topology.kubernetes.io/region'],
    ['capacity-type', 'karpenter.sh/capacity-type'],
    ['node.io/zone', ZONE],
  ])('are explained: %s is reported as %s', (key, similar) => {
    const outcome = provision(aCluster(), tiny('a', { nodeSelector: { [key]: 'x' } }));
    const [reason] = outcome.plan.unplaced[0]?.pools[0]?.reasons ?? [];

    expect(listReasonCodes(outcome)).toEqual(['unknown-label']);
    expect(reason?.fields.similar).toContain(similar);
  });
});

describe('a label that a pod requires', () => {
  it('is not available to the next pod, because nodes keep their labels', () => {
    const cluster = provision(aCluster(), tiny('first', { requests: requesting(0.1) })).after;
    const outcome = provision(
      cluster,
      tiny('a', requiringNode(need('team', 'NotIn', 'red'))),
      tiny('b', requiringNode(need('team', 'In', 'blue'))),
    );

    expect(findNodeOfPod(outcome, 'a')).toBeDefined();
    expect(outcome.pending).toEqual(['b']);
  });
});

describe('custom labels of new nodes', () => {
  it.each([
    ['In', need(KEY, 'In', 'one'), /^one$/],
    ['NotIn', need(KEY, 'NotIn', 'one', 'two'), /^(?!one$|two$).+$/],
    ['Exists', need(KEY, 'Exists'), /^.+$/],
    ['Gt', need(KEY, 'Gt', '2'), /^([3-9]|\d\d+)$/],
    ['Lt', need(KEY, 'Lt', '2'), /^[01]$/],
  ])('get an allowed value for %s', (_, requirement, value) => {
    const outcome = provision(aCluster({ pools: [aPoolRequiring(requirement)] }), tiny('a'));

    expect(outcome.plan.claims[0]?.claim.labels[KEY]).toMatch(value);
  });

  it('are absent for DoesNotExist', () => {
    const cluster = aCluster({ pools: [aPoolRequiring(need(KEY, 'DoesNotExist'))] });

    expect(provision(cluster, tiny('a')).plan.claims[0]?.claim.labels).not.toHaveProperty(KEY);
  });

  it('leave well-known labels to the node', () => {
    const build = 'node.kubernetes.io/windows-build';
    const types = createStepTypes(1).map((type) => ({
      ...type,
      labels: { ...type.labels, [build]: '10.0' },
    }));
    const cluster = aCluster({ types, pools: [aPoolRequiring(need(build, 'Exists'))] });

    expect(provision(cluster, tiny('a')).plan.claims[0]?.claim.labels).not.toHaveProperty(build);
  });
});

describe('pods of one template', () => {
  it('are placed alike if they differ only in labels that no selector reads', () => {
    const pods = createPods(3, 'a').map((pod, index) => ({
      ...pod,
      labels: { ...pod.labels, 'pod-index': `${index}` },
    }));
    const outcome = provision(aCluster(), ...pods);

    expect(outcome.launched).toHaveLength(1);
    expect(aSelector().matchLabels).toEqual({ app: 'web' });
  });
});
