import { describe, expect, it } from 'vitest';
import { betaClass, betaPool, convert, type Fields, only, REF } from './conversions.ts';

describe('the conversion from v1beta1', () => {
  it.each<[string, Fields, Fields, string]>([
    ['says nothing', {}, { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' }, '720h'],
    [
      'never consolidates',
      { consolidationPolicy: 'WhenUnderutilized', consolidateAfter: 'Never' },
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never' },
      '720h',
    ],
    [
      'removes empty nodes',
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s', expireAfter: 'Never' },
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' },
      'Never',
    ],
    [
      'has budgets',
      { budgets: [{ nodes: '5' }] },
      {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '0s',
        budgets: [{ nodes: '5' }],
      },
      '720h',
    ],
  ])('converts a pool that %s', (_, disruption, expected, expireAfter) => {
    const { spec, codes } = only(betaPool({ disruption }));

    expect(spec).toMatchObject({
      disruption: expected,
      template: { spec: { expireAfter, nodeClassRef: REF } },
    });
    expect(codes).toEqual([]);
  });

  it('keeps the id of a class term with id and tags', () => {
    const term = { id: 'subnet-1', tags: { a: 'b' } };

    expect(only(betaClass({ subnetSelectorTerms: [term] }))).toMatchObject({
      spec: { subnetSelectorTerms: [{ id: 'subnet-1' }], role: 'node-role' },
      codes: ['W-06'],
    });
  });

  it('reports that a NodeClaim has to be created anew', () => {
    const claim = {
      apiVersion: 'karpenter.sh/v1beta1',
      kind: 'NodeClaim',
      metadata: { name: 'general-1' },
      spec: {
        nodeClassRef: {
          apiVersion: 'karpenter.k8s.aws/v1beta1',
          kind: 'EC2NodeClass',
          name: 'nodes',
        },
        requirements: [],
        kubelet: { maxPods: 1 },
      },
    };

    expect(only(claim)).toEqual({ spec: { nodeClassRef: REF, requirements: [] }, codes: ['W-17'] });
  });
});

describe('v1 objects', () => {
  it('stay as they are, and so do objects of other kinds', () => {
    const pool = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'a' },
      spec: { template: { spec: { nodeClassRef: REF, requirements: [] } } },
    };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };
    const conversion = convert([
      pool,
      deployment,
      { apiVersion: 'karpenter.sh/v1alpha5', kind: 'Machine', metadata: { name: 'm' } },
    ]);

    expect(conversion.objects.map(({ object }) => object)).toEqual([pool, deployment]);
    expect(conversion.messages.map(({ code, object }) => `${code} ${object}`)).toEqual(['X-02 Machine/m']);
  });
});
