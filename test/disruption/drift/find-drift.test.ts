import { describe, expect, it } from 'vitest';
import { computeClassHash } from '../../../shared/api/stored-objects/static-drift.ts';
import { type DriftBaseline, findDrift } from '../../../shared/disruption/drift/find-drift.ts';
import type { NodeClassState } from '../../../shared/model/nodes/drift.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import {
  aLaunch,
  aNodePool,
  anInitializedClaim,
  anInstanceType,
  anOffering,
  NOON,
  nodeLabels,
} from '../../support/builders.ts';
import { anImage, aResolvedClass, aWrittenClass, CLUSTER_FACTS } from '../../support/node-classes.ts';

const hashOf = (spec: object = {}, certificate = CLUSTER_FACTS.certificateAuthority): string =>
  computeClassHash('default', aWrittenClass({ ...spec }), certificate)?.hash ?? '';

const aClass = (over: Partial<NodeClassState> = {}): NodeClassState => {
  const { name, subnets, securityGroups, images } = aResolvedClass();
  return { name, subnets, securityGroups, images, hash: hashOf(), ...over };
};

const launch = aLaunch({
  imageId: 'ami-amd64',
  subnetId: 'subnet-a',
  securityGroupIds: ['sg-1'],
  nodeClassHash: hashOf(),
  nodeClassHashVersion: 's1',
});

/** A claim that matches its pool and class, except for the given differences. */
const drift = (
  baseline: Partial<DriftBaseline> = {},
  { launch: launched, ...claim }: Partial<NodeClaim> = {},
): string => {
  const verdict = findDrift(
    anInitializedClaim('a', {
      createdAt: NOON - 2 * HOUR_MS,
      ...claim,
      launch: { ...launch, ...launched },
    }),
    {
      pool: aNodePool(),
      nodeClass: aClass(),
      instanceTypes: [anInstanceType()],
      offerings: [anOffering()],
      now: NOON,
      ...baseline,
    },
  );
  return verdict.outcome === 'drifted' ? verdict.reason : verdict.outcome;
};

const labelled = (labels: Record<string, string>): Partial<NodeClaim> => ({
  launch: { ...launch, labels: nodeLabels(labels) },
});
const requiring = (key: string, operator: 'In' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt', ...values: string[]) => ({
  pool: aNodePool({ requirements: [{ key, operator, values }] }),
});

describe('drift from the NodePool', () => {
  it('does not exist right after the launch', () => {
    expect(drift()).toBe('in-line');
  });

  it.each<[string, string, Partial<DriftBaseline>, Partial<NodeClaim>]>([
    ['a changed template', 'NodePoolDrifted', { pool: aNodePool({ hash: 'new' }) }, {}],
    [
      'changed budgets, limits and weight',
      'in-line',
      {
        pool: aNodePool({
          weight: 7,
          limits: { nodes: 3 },
          disruption: { consolidateAfterMs: 'Never', policy: 'WhenEmpty', budgets: [] },
        }),
      },
      {},
    ],
    ['hashes of different versions', 'in-line', { pool: aNodePool({ hash: 'new' }) }, { poolHashVersion: 'v3' }],
    ['a claim without a hash', 'in-line', { pool: aNodePool({ hash: 'new' }) }, { poolHash: '' }],
    [
      'another required capacity type',
      'RequirementsDrifted',
      requiring('karpenter.sh/capacity-type', 'In', 'spot'),
      {},
    ],
    ['a required label that is missing', 'RequirementsDrifted', requiring('team', 'In', 'a'), {}],
    ['a value removed from the requirement', 'RequirementsDrifted', requiring('kubernetes.io/os', 'In', 'windows'), {}],
    ['a value added to the requirement', 'in-line', requiring('kubernetes.io/arch', 'In', 'amd64', 'arm64'), {}],
    ['a requirement Exists that holds', 'in-line', requiring('kubernetes.io/arch', 'Exists'), {}],
    [
      'a requirement DoesNotExist that does not hold',
      'RequirementsDrifted',
      requiring('kubernetes.io/arch', 'DoesNotExist'),
      {},
    ],
    ['Gt 10 of 5', 'RequirementsDrifted', requiring('size', 'Gt', '10'), labelled({ size: '5' })],
    ['Lt 1 of 2', 'RequirementsDrifted', requiring('size', 'Lt', '1'), labelled({ size: '2' })],
  ])('%s: %s', (_, expected, baseline, claim) => {
    expect(drift(baseline, claim)).toBe(expected);
  });

  it('is not checked for a claim without an instance', () => {
    const { launch: _, ...unlaunched } = anInitializedClaim('a');

    expect(
      findDrift(unlaunched, {
        pool: aNodePool({ hash: 'new' }),
        instanceTypes: [],
        offerings: [],
        now: NOON,
      }),
    ).toEqual({ outcome: 'in-line' });
  });
});

describe("drift from EC2's offerings", () => {
  const other = [anInstanceType({ name: 'm7i.xlarge' })];

  it.each([
    [30, 'in-line'],
    [60, 'in-line'],
    [61, 'InstanceTypeNotFound'],
  ])('for a missing type and a claim that is %i min old: %s', (minutes, expected) => {
    const createdAt = NOON - minutes * MINUTE_MS;
    const images = [anImage({ requirements: [] })];

    const verdict = drift({ instanceTypes: other, nodeClass: aClass({ images }) }, { createdAt });

    // Without the type's labels its image is unknown.
    expect(verdict === 'unknown' ? 'in-line' : verdict).toBe(expected);
  });

  it('finds that the class has no image for the architecture of the node any more', () => {
    const nodeClass = aClass({ images: [anImage({ id: 'ami-arm64' })] });
    const createdAt = NOON - 5 * MINUTE_MS;

    expect(drift({ instanceTypes: other, nodeClass }, { createdAt })).toBe('AMIDrift');
  });

  it.each<[string, string, Partial<DriftBaseline>, Partial<NodeClaim>]>([
    ['not offered in its zone', 'InstanceTypeNotFound', { offerings: [anOffering({ zone: 'z' })] }, {}],
    [
      'not offered with its capacity type',
      'InstanceTypeNotFound',
      { offerings: [anOffering({ capacityType: 'spot' })] },
      {},
    ],
    ['offered on-demand after a reservation', 'in-line', {}, { launch: { ...launch, capacityType: 'reserved' } }],
    ['unknown types', 'unknown', { instanceTypes: [] }, {}],
    ['unknown offerings', 'unknown', { offerings: [] }, {}],
  ])('%s: %s', (_, expected, baseline, claim) => {
    expect(drift(baseline, claim)).toBe(expected);
  });
});

describe('drift from the EC2NodeClass', () => {
  it.each<[string, object]>([
    ['the user data', { userData: '#!/bin/bash' }],
    ['the tags', { tags: { team: 'a' } }],
    ['the context', { context: 'c-1' }],
    ['the metadata options', { metadataOptions: { httpTokens: 'optional' } }],
    ['the size of a volume', { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '50Gi' } }] }],
    ['the role', { role: 'another' }],
    ['the kubelet configuration', { kubelet: { maxPods: 12 } }],
  ])('is NodeClassDrift if %s changes', (_, spec) => {
    expect(drift({ nodeClass: aClass({ hash: hashOf(spec) }) })).toBe('NodeClassDrift');
  });

  it.each<[string, object]>([
    ['other subnet terms', { subnetSelectorTerms: [{ id: 'subnet-1' }] }],
    ['other group terms', { securityGroupSelectorTerms: [{ id: 'sg-9' }] }],
    ['other image terms of the same family', { amiSelectorTerms: [{ alias: 'al2023@v20251120' }] }],
    ['a family that its alias implies', { amiFamily: 'AL2023' }],
  ])('ignores %s, which is not part of the hash', (_, spec) => {
    expect(hashOf(spec)).toBe(hashOf());
  });

  it('distinguishes kubelet settings whose digits are equal', () => {
    expect(hashOf({ kubelet: { maxPods: 12 } })).not.toBe(hashOf({ kubelet: { maxPods: 21 } }));
  });

  it("is NodeClassDrift if the cluster's certificate changes", () => {
    expect(drift({ nodeClass: aClass({ hash: hashOf({}, 'new') }) })).toBe('NodeClassDrift');
  });

  it.each<[string, string, Partial<NodeClassState>, Partial<NodeClaim>]>([
    ['a hash of another version', 'in-line', { hash: 'new' }, { launch: { ...launch, nodeClassHashVersion: 'v6' } }],
    ['another image', 'AMIDrift', { images: [anImage({ id: 'ami-2' })] }, {}],
    [
      'the image now requires other types',
      'AMIDrift',
      {
        images: [
          anImage({
            requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
          }),
        ],
      },
      {},
    ],
    ['unknown images', 'unknown', { images: [] }, {}],
    [
      'a security group removed',
      'SecurityGroupDrift',
      {},
      { launch: { ...launch, securityGroupIds: ['sg-1', 'sg-2'] } },
    ],
    ['a security group added', 'SecurityGroupDrift', {}, { launch: { ...launch, securityGroupIds: [] } }],
    [
      'the same groups in another order',
      'in-line',
      {
        securityGroups: [
          { id: 'b', name: 'b' },
          { id: 'a', name: 'a' },
        ],
      },
      { launch: { ...launch, securityGroupIds: ['a', 'b'] } },
    ],
    ['another subnet', 'SubnetDrift', {}, { launch: { ...launch, subnetId: 'subnet-x' } }],
    ['unknown subnets', 'unknown', { subnets: [] }, {}],
    ['unknown security groups', 'unknown', { securityGroups: [] }, {}],
    [
      'image, group and subnet changed',
      'AMIDrift',
      { images: [anImage({ id: 'ami-2' })] },
      { launch: { ...launch, subnetId: 'subnet-x', securityGroupIds: [] } },
    ],
  ])('%s: %s', (_, expected, nodeClass, claim) => {
    expect(drift({ nodeClass: aClass(nodeClass) }, claim)).toBe(expected);
  });

  const reserved = (id = 'cr-1'): Partial<NodeClaim> => ({
    launch: {
      ...launch,
      capacityType: 'reserved',
      labels: nodeLabels({ 'karpenter.k8s.aws/capacity-reservation-id': id }),
    },
  });
  const reservation = {
    id: 'cr-1',
    zone: 'us-east-1a',
    instanceType: 'm7i.large',
    ownerId: '1',
    matchCriteria: 'targeted',
    kind: 'default',
    isInterruptible: false,
    freeInstances: 1,
  } as const;

  it.each<[string, string, Partial<NodeClassState>, Partial<NodeClaim>]>([
    ['its reservation is selected', 'in-line', { reservations: [reservation] }, reserved()],
    ['another reservation is selected', 'CapacityReservationDrift', { reservations: [reservation] }, reserved('cr-2')],
    [
      'on-demand after its reservation',
      'in-line',
      { reservations: [] },
      labelled({ 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' }),
    ],
    [
      'a placement group added',
      'PlacementGroupDrift',
      { placementGroup: { id: 'pg-1', name: 'pg', strategy: 'cluster' } },
      {},
    ],
    [
      'the placement group removed',
      'PlacementGroupDrift',
      {},
      labelled({ 'karpenter.k8s.aws/placement-group-id': 'pg-1' }),
    ],
    [
      'the same placement group',
      'in-line',
      { placementGroup: { id: 'pg-1', name: 'pg', strategy: 'cluster' } },
      labelled({ 'karpenter.k8s.aws/placement-group-id': 'pg-1' }),
    ],
  ])('%s: %s', (_, expected, nodeClass, claim) => {
    expect(drift({ nodeClass: aClass(nodeClass) }, claim)).toBe(expected);
  });

  it('is not checked without a class', () => {
    const { launch: old } = labelled({ 'karpenter.k8s.aws/placement-group-id': 'pg-1' });
    const verdict = findDrift(anInitializedClaim('a', { launch: { ...launch, ...old, imageId: 'ami-old' } }), {
      pool: aNodePool(),
      instanceTypes: [anInstanceType()],
      offerings: [anOffering()],
      now: NOON,
    });

    expect(verdict).toEqual({ outcome: 'in-line' });
  });
});
