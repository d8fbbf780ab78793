import { describe, expect, it } from 'vitest';
import {
  type Conversion,
  convertManifests,
} from '../../../shared/api/convert/convert-manifests.ts';
import { documents } from '../reading.ts';

type Fields = Readonly<Record<string, unknown>>;

const provisioner = (spec: Fields = {}, name = 'batch') => ({
  apiVersion: 'karpenter.sh/v1alpha5',
  kind: 'Provisioner',
  metadata: { name },
  spec: {
    providerRef: { name: 'nodes' },
    consolidation: { enabled: true },
    ttlSecondsUntilExpired: 60,
    ...spec,
  },
});

const nodeTemplate = (spec: Fields = {}) => ({
  apiVersion: 'karpenter.k8s.aws/v1alpha1',
  kind: 'AWSNodeTemplate',
  metadata: { name: 'nodes' },
  spec: {
    amiFamily: 'AL2023',
    instanceProfile: 'profile',
    subnetSelector: { tier: 'private' },
    securityGroupSelector: { 'aws-ids': 'sg-1' },
    metadataOptions: { httpPutResponseHopLimit: 1 },
    ...spec,
  },
});

const betaPool = (spec: Fields = {}, nodeSpec: Fields = {}, name = 'general') => ({
  apiVersion: 'karpenter.sh/v1beta1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    template: {
      spec: {
        nodeClassRef: {
          apiVersion: 'karpenter.k8s.aws/v1beta1',
          kind: 'EC2NodeClass',
          name: 'nodes',
        },
        requirements: [],
        ...nodeSpec,
      },
    },
    ...spec,
  },
});

const betaClass = (spec: Fields = {}) => ({
  apiVersion: 'karpenter.k8s.aws/v1beta1',
  kind: 'EC2NodeClass',
  metadata: { name: 'nodes' },
  spec: {
    amiFamily: 'AL2023',
    role: 'node-role',
    subnetSelectorTerms: [{ tags: { tier: 'private' } }],
    securityGroupSelectorTerms: [{ id: 'sg-1' }],
    metadataOptions: { httpPutResponseHopLimit: 1 },
    ...spec,
  },
});

const convert = (
  objects: readonly Fields[],
  options: { role?: string; ignoreDefaults?: boolean } = {},
) =>
  convertManifests([{ file: 'in.yaml', text: documents(...objects) }], {
    ignoreDefaults: true,
    ...options,
  });

const codesOf = ({ messages }: Conversion): readonly string[] => messages.map(({ code }) => code);
const only = (object: Fields, options = {}) => {
  const conversion = convert([object], options);
  return {
    spec: conversion.objects[0]?.object.spec as Fields | undefined,
    codes: codesOf(conversion),
  };
};

const ANY = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'nodes' };

describe('a Provisioner', () => {
  it('keeps what it says, in the places of v1', () => {
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
          nodeClassRef: ANY,
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
  ])('that removes %s is disrupted as before', (_, fields, disruption, codes) => {
    const converted = only(provisioner(fields));

    expect(converted.spec?.disruption).toEqual(disruption);
    expect(converted.codes).toEqual(codes);
  });

  it.each<[string, Fields, string]>([
    ['consolidation and ttlSecondsAfterEmpty (row 182)', { ttlSecondsAfterEmpty: 30 }, 'X-05'],
    ['neither provider nor providerRef', { providerRef: undefined }, 'X-03'],
    ['both provider and providerRef', { provider: {} }, 'X-04'],
    ['a weight that v1 does not take', { weight: 500 }, 'X-09'],
  ])('with %s is not converted', (_, fields, code) => {
    const conversion = convert([provisioner(fields)]);

    expect(codesOf(conversion)).toContain(code);
    expect(conversion).toMatchObject({ isComplete: false, objects: [] });
  });

  it('without expiry goes on without', () => {
    expect(only(provisioner({ ttlSecondsUntilExpired: undefined }))).toMatchObject({
      spec: { template: { spec: { expireAfter: 'Never' } } },
      codes: ['W-09', 'W-10'],
    });
  });

  it('has the defaults of alpha written out where it leaves keys open', () => {
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

  it('loses nothing in silence', () => {
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

  it('with an inline provider brings a class of its own name', () => {
    const { apiVersion, kind, ...provider } = {
      ...nodeTemplate().spec,
      apiVersion: 'x',
      kind: 'AWS',
    };
    const { objects } = convert([
      provisioner({ providerRef: undefined, provider: { ...provider, apiVersion, kind } }),
    ]);

    expect(objects.map(({ object }) => [object.kind, object.metadata])).toEqual([
      ['NodePool', { name: 'batch' }],
      ['EC2NodeClass', { name: 'batch' }],
    ]);
  });
});

describe('an AWSNodeTemplate', () => {
  it('is an EC2NodeClass', () => {
    const { spec, codes } = only(nodeTemplate({ tags: { team: 'a' }, detailedMonitoring: true }));

    expect(spec).toEqual({
      instanceProfile: 'profile',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { tier: 'private' } }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      metadataOptions: { httpPutResponseHopLimit: 1 },
      tags: { team: 'a' },
      detailedMonitoring: true,
    });
    expect(codes).toEqual([]);
  });

  it.each<[string, Fields, Fields, readonly string[]]>([
    [
      'an empty value is any',
      { subnetSelector: { a: '' } },
      { subnetSelectorTerms: [{ tags: { a: '*' } }] },
      [],
    ],
    [
      'row 185: lists combine',
      { subnetSelector: { a: 'x,y', b: 'p, q' } },
      {
        subnetSelectorTerms: [
          { tags: { a: 'x', b: 'p' } },
          { tags: { a: 'x', b: 'q' } },
          { tags: { a: 'y', b: 'p' } },
          { tags: { a: 'y', b: 'q' } },
        ],
      },
      [],
    ],
    [
      'ids win',
      { subnetSelector: { 'aws::ids': 'subnet-1,subnet-2', a: 'b' } },
      { subnetSelectorTerms: [{ id: 'subnet-1' }, { id: 'subnet-2' }] },
      ['W-06'],
    ],
    [
      'names and owners of images',
      { amiSelector: { 'aws::name': 'a,b', 'aws::owners': 'self' } },
      {
        amiFamily: 'AL2023',
        amiSelectorTerms: [
          { name: 'a', owner: 'self' },
          { name: 'b', owner: 'self' },
        ],
      },
      [],
    ],
    [
      'tags of images',
      { amiSelector: { a: 'b' } },
      { amiSelectorTerms: [{ tags: { a: 'b' } }] },
      ['W-11'],
    ],
    [
      'no family is AL2',
      { amiFamily: undefined },
      { amiSelectorTerms: [{ alias: 'al2@latest' }] },
      ['W-14', 'W-16'],
    ],
    [
      'no profile is a role to be named',
      { instanceProfile: undefined },
      { role: '$KARPENTER_NODE_ROLE' },
      ['W-02'],
    ],
    [
      'no metadata options',
      { metadataOptions: undefined },
      {
        metadataOptions: {
          httpEndpoint: 'enabled',
          httpProtocolIPv6: 'disabled',
          httpPutResponseHopLimit: 2,
          httpTokens: 'required',
        },
      },
      ['W-07'],
    ],
    [
      'a hop limit left open',
      { metadataOptions: { httpTokens: 'optional' } },
      { metadataOptions: { httpTokens: 'optional', httpPutResponseHopLimit: 2 } },
      ['W-07'],
    ],
    [
      'tags that are written anyway',
      { tags: { 'karpenter.sh/provisioner-name': 'x', a: 'b' } },
      { tags: { a: 'b' } },
      ['W-05'],
    ],
    [
      'a virtual device',
      {
        blockDeviceMappings: [
          { deviceName: '/dev/xvda', virtualName: 'ephemeral0', ebs: { volumeSize: '9Gi' } },
        ],
      },
      { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '9Gi' } }] },
      ['W-04'],
    ],
    [
      'Ubuntu with an image',
      { amiFamily: 'Ubuntu', amiSelector: { 'aws-ids': 'ami-1' } },
      {
        amiFamily: 'AL2',
        amiSelectorTerms: [{ id: 'ami-1' }],
        blockDeviceMappings: [
          {
            deviceName: '/dev/sda1',
            rootVolume: true,
            ebs: { volumeSize: '20Gi', volumeType: 'gp3', encrypted: true },
          },
        ],
      },
      ['W-15'],
    ],
  ])('says of %s', (_, fields, expected, codes) => {
    const converted = only(nodeTemplate(fields));

    expect(converted.spec).toMatchObject(expected);
    expect(converted.codes).toEqual(codes);
  });

  it.each<[string, Fields, string]>([
    ['a launch template (row 183)', { launchTemplate: 'mine' }, 'X-06'],
    ['owners alone', { amiSelector: { 'aws::owners': 'self' } }, 'X-07'],
    [
      'more than 30 combinations',
      { subnetSelector: { a: '1,2,3,4,5,6', b: '1,2,3,4,5,6' } },
      'X-08',
    ],
    ['a custom family without image', { amiFamily: 'Custom' }, 'X-10'],
    ['Ubuntu without image', { amiFamily: 'Ubuntu' }, 'X-11'],
  ])('with %s is not converted', (_, fields, code) => {
    const conversion = convert([nodeTemplate(fields)]);

    expect(codesOf(conversion)).toContain(code);
    expect(conversion.objects).toEqual([]);
  });

  it('prefers a role that was asked for', () => {
    expect(only(nodeTemplate(), { role: 'r' })).toMatchObject({
      spec: { role: 'r' },
      codes: ['W-03'],
    });
  });
});

describe('v1beta1', () => {
  it.each<[string, Fields, Fields, string]>([
    [
      'says nothing',
      {},
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
      '720h',
    ],
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
  ])('of a pool that %s', (_, disruption, expected, expireAfter) => {
    const { spec, codes } = only(betaPool({ disruption }));

    expect(spec).toMatchObject({
      disruption: expected,
      template: { spec: { expireAfter, nodeClassRef: ANY } },
    });
    expect(codes).toEqual([]);
  });

  it('of a class with an id beside tags lets the id win', () => {
    const term = { id: 'subnet-1', tags: { a: 'b' } };

    expect(only(betaClass({ subnetSelectorTerms: [term] }))).toMatchObject({
      spec: { subnetSelectorTerms: [{ id: 'subnet-1' }], role: 'node-role' },
      codes: ['W-06'],
    });
  });

  it('of a NodeClaim is told to be made anew', () => {
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

    expect(only(claim)).toEqual({ spec: { nodeClassRef: ANY, requirements: [] }, codes: ['W-17'] });
  });
});

describe('settings of the kubelet', () => {
  const kubeletsOf = ({ objects }: Conversion) =>
    objects
      .filter(({ object }) => object.kind === 'EC2NodeClass')
      .map(({ object }) => [(object.metadata as Fields).name, (object.spec as Fields).kubelet]);

  it('go to the class where all pools of it agree', () => {
    const kubelet = { maxPods: 60 };
    const conversion = convert([
      betaPool({}, { kubelet }),
      provisioner({ kubeletConfiguration: kubelet }),
      betaClass(),
    ]);

    expect(kubeletsOf(conversion)).toEqual([['nodes', kubelet]]);
    expect(codesOf(conversion)).toEqual(['W-10']);
  });

  it('that differ get a class each', () => {
    const conversion = convert([
      betaPool({}, { kubelet: { maxPods: 60 } }, 'a'),
      betaPool({}, {}, 'b'),
      betaClass(),
    ]);

    expect(kubeletsOf(conversion)).toEqual([
      ['nodes', { maxPods: 60 }],
      ['nodes-b', undefined],
    ]);
    expect(conversion.objects[1]?.object.spec).toMatchObject({
      template: { spec: { nodeClassRef: { name: 'nodes-b' } } },
    });
    expect(codesOf(conversion)).toEqual(['W-12']);
  });

  it('of a class that is not there are printed to be pasted', () => {
    const { messages } = convert([betaPool({}, { kubelet: { maxPods: 60 } })]);

    expect(messages).toEqual([
      {
        code: 'W-13',
        object: 'NodePool/general',
        path: 'spec.template.spec.kubelet',
        text: 'EC2NodeClass nodes is not in the input; add to its spec: {"kubelet":{"maxPods":60}}',
      },
    ]);
  });

  it('that a cluster of 1.0 kept in an annotation are read from there', () => {
    const pool = {
      ...betaPool(),
      metadata: {
        name: 'general',
        annotations: {
          'compatibility.karpenter.sh/v1beta1-kubelet-conversion': '{"maxPods":60}',
        },
      },
    };
    const conversion = convert([pool, betaClass()]);

    expect(kubeletsOf(conversion)).toEqual([['nodes', { maxPods: 60 }]]);
    expect(conversion.objects[0]?.object.metadata).toEqual({ name: 'general' });
  });
});

describe('what is of v1 already', () => {
  it('passes through as it is, and other kinds are skipped by name', () => {
    const pool = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'a' },
      spec: { template: { spec: { nodeClassRef: ANY, requirements: [] } } },
    };
    const conversion = convert([
      pool,
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
      { apiVersion: 'karpenter.sh/v1alpha5', kind: 'Machine', metadata: { name: 'm' } },
    ]);

    expect(conversion.objects.map(({ object }) => object)).toEqual([pool]);
    expect(conversion.messages.map(({ code, object }) => `${code} ${object}`)).toEqual([
      'X-01 Deployment/web',
      'X-02 Machine/m',
    ]);
  });
});
