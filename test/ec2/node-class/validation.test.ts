import { describe, expect, it } from 'vitest';
import { validateNodeClass } from '../../../shared/ec2/node-class/validation.ts';
import { aWrittenClass, CLUSTER_FACTS } from '../../support/node-classes.ts';

type Fields = Readonly<Record<string, unknown>>;

const judge = (spec: Fields) => validateNodeClass('default', aWrittenClass(spec), CLUSTER_FACTS);
const reasonOf = (spec: Fields): string => {
  const judgement = judge(spec);
  return judgement.outcome === 'refused' ? judgement.reason : judgement.outcome;
};
const messageOf = (spec: Fields): string => {
  const judgement = judge(spec);
  return judgement.outcome === 'refused' ? judgement.message : '';
};

const family = (amiFamily: string): Fields => ({
  amiFamily,
  amiSelectorTerms: [{ id: 'ami-1' }],
});

describe('a class', () => {
  it('has nothing against it as most write it', () => {
    expect(reasonOf({})).toBe('found');
  });

  it.each<[string, Fields]>([
    [
      'V13: thresholds the wrong way round',
      { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 70 },
    ],
    ['V14: a soft threshold without grace', { evictionSoft: { 'memory.available': '5%' } }],
    ['V15: a field that no kubelet knows', { foo: 1 }],
    ['V15: taints, which are ours', { registerWithTaints: [] }],
  ])('has no kubelet with %s', (_, kubelet) => {
    expect(reasonOf({ kubelet })).toBe('InvalidKubeletConfiguration');
  });

  it('V15: is told of all that is wrong with its kubelet at once', () => {
    expect(messageOf({ kubelet: { foo: 1, bar: 2 } })).toMatch(/foo.*; .*bar/);
  });

  it.each([
    ['AL2023', { registryPullQPS: 10 }, 'found'],
    ['Custom', { registryPullQPS: 10 }, 'found'],
    ['AL2', { registryPullQPS: 10 }, 'UnsupportedKubeletConfiguration'],
    ['Bottlerocket', { registryPullQPS: 10 }, 'UnsupportedKubeletConfiguration'],
    ['Windows2022', { registryPullQPS: 10 }, 'UnsupportedKubeletConfiguration'],
    ['Bottlerocket', { podsPerCore: 2 }, 'UnsupportedKubeletConfiguration'],
    ['AL2', { clusterDNS: ['10.0.0.1', '10.0.0.2'] }, 'UnsupportedKubeletConfiguration'],
    ['AL2023', { clusterDNS: ['10.0.0.1', '10.0.0.2'] }, 'found'],
  ])('V16, V17: of %s with %j: %s', (name, kubelet, reason) => {
    expect(reasonOf({ ...family(name), kubelet })).toBe(reason);
  });

  it.each<[Fields]>([
    [{ maxPods: 'min(110, vcpus * 8)' }],
    [{ kubeReserved: { memory: 'max_pods * 11' } }],
  ])('V18: computes nothing: %j', (kubelet) => {
    expect(reasonOf({ kubelet })).toBe('KubeletExpressionsDisabled');
  });

  it('V10: has no user data that is longer than EC2 takes', () => {
    const userData = `#!/bin/bash\n#${'x'.repeat(17_000)}`;

    expect(reasonOf({ userData })).toBe('UserDataSizeLimitExceeded');
  });

  it('T24: has no user data that its images cannot read', () => {
    expect(reasonOf({ ...family('Bottlerocket'), userData: '#!/bin/bash\necho hi' })).toBe(
      'UserDataInvalid',
    );
  });

  it.each(['karpenter.sh/nodeclaim', 'eks:eks-cluster-name', 'kubernetes.io/cluster/other'])(
    'V11: sets no tag that tells whose a node is: %s',
    (key) => {
      const written = aWrittenClass();
      const tagged = { ...written, spec: { ...written.spec, tags: { [key]: 'x' } } };

      expect(validateNodeClass('default', tagged, CLUSTER_FACTS)).toMatchObject({
        reason: 'TagValidationFailed',
      });
    },
  );

  it('V12: needs the range of Services for AL2023, and not for others', () => {
    const { serviceCidr: _, ...cluster } = CLUSTER_FACTS;

    expect(validateNodeClass('default', aWrittenClass(), cluster)).toMatchObject({
      reason: 'ClusterCIDRResolutionFailed',
    });
    expect(validateNodeClass('default', aWrittenClass(family('AL2')), cluster).outcome).toBe(
      'found',
    );
  });
});
