import { describe, expect, it } from 'vitest';
import { isAliasPublished, listImageParameters } from '../../../shared/ec2/node-class/alias-parameters.ts';
import { computeConditions, type DiscoveryResult } from '../../../shared/ec2/node-class/conditions.ts';
import { selectImages } from '../../../shared/ec2/node-class/image-choice.ts';
import { NOON } from '../../support/builders.ts';
import { anImage } from '../../support/node-classes.ts';

const EKS = '/aws/service/eks/optimized-ami/1.34';

describe('an alias', () => {
  it.each([
    ['al2@latest', '1.32', 4],
    ['al2023@latest', '1.34', 5],
    ['bottlerocket@latest', '1.34', 5],
    ['windows2022@latest', '1.34', 1],
    ['windows2025@latest', '1.35', 1],
  ])('%s stands for images of %s, for this number of type groups: %i', (alias, version, count) => {
    expect(listImageParameters(alias, version).flatMap(({ variants }) => variants)).toHaveLength(count);
  });

  it.each([
    ['al2023@latest', `${EKS}/amazon-linux-2023/x86_64/standard/recommended/image_id`],
    [
      'al2023@v20251120',
      `${EKS}/amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.34-v20251120/image_id`,
    ],
    ['al2@v20240807', `${EKS}/amazon-linux-2/amazon-eks-node-1.34-v20240807/image_id`],
    ['bottlerocket@latest', '/aws/service/bottlerocket/aws-k8s-1.34/x86_64/latest/image_id'],
    ['bottlerocket@v1.46.0', '/aws/service/bottlerocket/aws-k8s-1.34/x86_64/1.46.0/image_id'],
    ['bottlerocket@1.46.0', '/aws/service/bottlerocket/aws-k8s-1.34/x86_64/1.46.0/image_id'],
    [
      'windows2022@latest',
      '/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.34/image_id',
    ],
  ])('%s is looked up at %s', (alias, path) => {
    expect(listImageParameters(alias, '1.34')[0]?.path).toBe(path);
  });

  it.each([
    ['al2@latest', '1.32', true],
    ['al2@latest', '1.33', false],
    ['windows2025@latest', '1.34', false],
    ['windows2025@latest', '1.35', true],
    ['al2023@latest', '1.36', true],
  ])('%s is published for %s: %s', (alias, version, served) => {
    expect(isAliasPublished(alias, version)).toBe(served);
  });
});

describe('the image for a group of types', () => {
  const old = anImage({ id: 'ami-2020', createdAt: NOON - 2 });
  const recent = anImage({ id: 'ami-2021', createdAt: NOON - 1 });

  it.each([
    ['is not a deprecated one', [{ ...recent, deprecated: true }, old], 'ami-2020'],
    [
      'is the newer one if both are deprecated',
      [
        { ...recent, deprecated: true },
        { ...old, deprecated: true },
      ],
      'ami-2021',
    ],
    [
      'has the greater name if the dates are equal',
      [
        { ...old, id: 'ami-b', name: 'b' },
        { ...old, id: 'ami-a', name: 'a' },
      ],
      'ami-b',
    ],
  ])('%s', (_, candidates, id) => {
    expect(selectImages(candidates).map((image) => image.id)).toEqual([id]);
    expect(selectImages(candidates.toReversed()).map((image) => image.id)).toEqual([id]);
  });

  it('is selected per group, newest first', () => {
    const arm = anImage({
      id: 'ami-arm',
      createdAt: NOON,
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
    });

    expect(selectImages([old, arm, recent]).map(({ id }) => id)).toEqual(['ami-arm', 'ami-2021']);
  });
});

describe('the conditions of a class', () => {
  const result: DiscoveryResult<void> = { outcome: 'found', value: undefined };
  const unknown: DiscoveryResult<void> = { outcome: 'unknown', message: 'throttled' };
  const refused: DiscoveryResult<void> = {
    outcome: 'refused',
    reason: 'SubnetsNotFound',
    message: 'none',
  };
  const all = {
    AMIsReady: result,
    CapacityReservationsReady: result,
    PlacementGroupReady: result,
    SubnetsReady: result,
    SecurityGroupsReady: result,
    InstanceProfileReady: result,
  };
  const statusesOf = (conditions: ReturnType<typeof computeConditions>) =>
    Object.fromEntries(conditions.map(({ type, status }) => [type, status]));

  it('stay unchanged if an API fails', () => {
    const before = computeConditions(all, result, []);

    expect(computeConditions({ ...all, SubnetsReady: unknown }, result, before)).toEqual(before);
  });

  it('are ready when all others are, and name those that are not', () => {
    expect(computeConditions({ ...all, SubnetsReady: refused }, result, []).at(-1)).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'UnhealthyDependents',
      message: 'SubnetsReady=False, ValidationSucceeded=False',
    });
  });

  it('report a validation error even while a dependency is missing', () => {
    const invalid: DiscoveryResult<void> = {
      outcome: 'refused',
      reason: 'TagValidationFailed',
      message: '',
    };

    const conditions = computeConditions({ ...all, SubnetsReady: unknown }, invalid, []);

    expect(statusesOf(conditions)).toMatchObject({ ValidationSucceeded: 'False', Ready: 'False' });
    expect(conditions.find(({ type }) => type === 'ValidationSucceeded')?.reason).toBe('TagValidationFailed');
  });
});
