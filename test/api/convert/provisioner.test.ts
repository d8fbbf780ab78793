import { describe, expect, it } from 'vitest';
import { codesOf, convert, type Fields, nodeTemplate, only, provisioner, REF } from './conversions.ts';

describe('a Provisioner', () => {
  it('keeps its settings in the fields of v1', () => {
    const taint = { key: 'team', effect: 'NoSchedule' };
    const { spec, codes } = only(
      provisioner({
        weight: 5,
        limits: { resources: { cpu: '10' } },
        labels: { team: 'a' },
        annotations: { 'karpenter.sh/do-not-consolidate': 'true' },
        taints: [taint],
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
      }),
    );

    expect(spec).toEqual({
      weight: 5,
      limits: { cpu: '10' },
      disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
      template: {
        metadata: {
          labels: { team: 'a' },
          annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
        },
        spec: {
          expireAfter: '60s',
          nodeClassRef: REF,
          taints: [taint],
          requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
        },
      },
    });
    expect(codes).toEqual(['W-10']);
  });

  it.each<[string, Fields, Fields, readonly string[]]>([
    [
      'empty nodes alone',
      { consolidation: undefined, ttlSecondsAfterEmpty: 45 },
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: '45s' },
      ['W-10'],
    ],
    [
      'row 184: neither',
      { consolidation: undefined },
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never' },
      ['W-08', 'W-10'],
    ],
    [
      'off',
      { consolidation: { enabled: false } },
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never' },
      ['W-08', 'W-10'],
    ],
  ])('keeps its disruption behaviour if it removes %s', (_, fields, disruption, codes) => {
    const converted = only(provisioner(fields));

    expect(converted.spec?.disruption).toEqual(disruption);
    expect(converted.codes).toEqual(codes);
  });

  it.each<[string, Fields, string]>([
    ['consolidation and ttlSecondsAfterEmpty', { ttlSecondsAfterEmpty: 30 }, 'X-05'],
    ['neither provider nor providerRef', { providerRef: undefined }, 'X-03'],
    ['both provider and providerRef', { provider: {} }, 'X-04'],
    ['a weight that v1 does not take', { weight: 500 }, 'X-09'],
  ])('is not converted with %s', (_, fields, code) => {
    const conversion = convert([provisioner(fields)]);

    expect(codesOf(conversion)).toContain(code);
    expect(conversion).toMatchObject({ isComplete: false, objects: [] });
  });

  it('stays without expiry', () => {
    expect(only(provisioner({ ttlSecondsUntilExpired: undefined }))).toMatchObject({
      spec: { template: { spec: { expireAfter: 'Never' } } },
      codes: ['W-09', 'W-10'],
    });
  });

  it('gets the defaults of alpha written out', () => {
    const { spec, codes } = only(provisioner({ labels: { 'kubernetes.io/os': 'linux' } }), {
      ignoreDefaults: false,
    });

    expect(codes).toEqual(['W-01', 'W-10']);
    expect(spec?.template).toMatchObject({
      spec: {
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
          { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
          { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['2'] },
        ],
      },
    });
  });

  it('loses no field without a message', () => {
    const { codes } = only(
      provisioner({
        labels: { 'karpenter.sh/provisioner-name': 'x' },
        requirements: [{ key: 'karpenter.k8s.aws/instance-pods', operator: 'Gt', values: ['8'] }],
        kubeletConfiguration: { containerRuntime: 'containerd' },
        surprise: true,
      }),
    );

    expect(codes).toEqual(['W-04', 'W-04', 'W-05', 'W-05', 'W-10']);
  });

  it('brings a class of its own name for an inline provider', () => {
    const { apiVersion, kind, ...provider } = {
      ...nodeTemplate().spec,
      apiVersion: 'x',
      kind: 'AWS',
    };
    const { objects } = convert([provisioner({ providerRef: undefined, provider: { ...provider, apiVersion, kind } })]);

    expect(objects.map(({ object }) => [object.kind, object.metadata])).toEqual([
      ['NodePool', { name: 'batch' }],
      ['EC2NodeClass', { name: 'batch' }],
    ]);
  });
});
