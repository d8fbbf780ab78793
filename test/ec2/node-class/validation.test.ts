import { describe, expect, it } from 'vitest';
import { readEC2NodeClass } from '../../../shared/api/stored-objects/ec2-node-class.ts';
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

describe('the validation of a class', () => {
  it('accepts a common class', () => {
    expect(reasonOf({})).toBe('found');
  });

  it.each<[string, Fields]>([
    ['thresholds the wrong way round', { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 70 }],
    ['a soft threshold without grace', { evictionSoft: { 'memory.available': '5%' } }],
    ['taints, which are ours', { registerWithTaints: [] }],
  ])('refuses a kubelet with %s', (_, kubelet) => {
    expect(reasonOf({ kubelet })).toBe('InvalidKubeletConfiguration');
  });

  it('refuses fields that only a newer CRD has, with their paths', () => {
    const newer = {
      hibernation: true,
      metadataOptions: { httpTokens: 'required', httpVersion: 2 },
      kubelet: { newer: true },
    };

    expect(judge(newer)).toMatchObject({
      outcome: 'refused',
      reason: 'UnknownField',
      message:
        'this release of Mortise does not know spec.hibernation, spec.metadataOptions.httpVersion: update it, or take the field out',
    });
  });

  it('leaves the hash of a class as it is for such a field, so that no node drifts', () => {
    const hashOf = (spec: Fields) => readEC2NodeClass('default', aWrittenClass(spec));

    expect(hashOf({ hibernation: true })).toEqual(hashOf({}));
  });

  it('reports all errors of the kubelet at once', () => {
    expect(messageOf({ kubelet: { failSwapOn: 1, port: 'a' } })).toMatch(/failSwapOn.*; .*port/);
  });

  it.each(['AL2023', 'Bottlerocket', 'Windows2022'])(
    'accepts a kubelet field that is newer than this release: %s',
    (name) => {
      expect(reasonOf({ ...family(name), kubelet: { foo: 1 } })).toBe('found');
    },
  );

  it.each([
    ['AL2023', { registryPullQPS: 10 }, 'found'],
    ['Custom', { registryPullQPS: 10 }, 'found'],
    ['AL2', { registryPullQPS: 10 }, 'UnsupportedKubeletConfiguration'],
    ['Bottlerocket', { registryPullQPS: 10 }, 'UnsupportedKubeletConfiguration'],
    ['Windows2022', { registryPullQPS: 10 }, 'UnsupportedKubeletConfiguration'],
    ['Bottlerocket', { podsPerCore: 2 }, 'UnsupportedKubeletConfiguration'],
    ['AL2', { clusterDNS: ['10.0.0.1', '10.0.0.2'] }, 'UnsupportedKubeletConfiguration'],
    ['AL2023', { clusterDNS: ['10.0.0.1', '10.0.0.2'] }, 'found'],
  ])('of %s with %j gives: %s', (name, kubelet, reason) => {
    expect(reasonOf({ ...family(name), kubelet })).toBe(reason);
  });

  it.each<[Fields]>([[{ maxPods: 'min(110, vcpus * 8)' }], [{ kubeReserved: { memory: 'max_pods * 11' } }]])(
    'refuses expressions: %j',
    (kubelet) => {
      expect(reasonOf({ kubelet })).toBe('KubeletExpressionsDisabled');
    },
  );

  it("refuses user data that exceeds EC2's limit", () => {
    const userData = `#!/bin/bash\n#${'x'.repeat(17_000)}`;

    expect(reasonOf({ userData })).toBe('UserDataSizeLimitExceeded');
  });

  it('refuses user data that its images cannot parse', () => {
    expect(reasonOf({ ...family('Bottlerocket'), userData: '#!/bin/bash\necho hi' })).toBe('UserDataInvalid');
  });

  it.each(['karpenter.sh/nodeclaim', 'eks:eks-cluster-name', 'kubernetes.io/cluster/other'])(
    'refuses tags that mark the owner of a node: %s',
    (key) => {
      const written = aWrittenClass();
      const tagged = { ...written, spec: { ...written.spec, tags: { [key]: 'x' } } };

      expect(validateNodeClass('default', tagged, CLUSTER_FACTS)).toMatchObject({
        reason: 'TagValidationFailed',
      });
    },
  );

  it('requires the service CIDR for AL2023 only', () => {
    const { serviceCidr: _, ...cluster } = CLUSTER_FACTS;

    expect(validateNodeClass('default', aWrittenClass(), cluster)).toMatchObject({
      reason: 'ClusterCIDRResolutionFailed',
    });
    expect(validateNodeClass('default', aWrittenClass(family('AL2')), cluster).outcome).toBe('found');
  });
});

describe('the keys of volumes', () => {
  const KEY = 'arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d';
  const noteOf = (kmsKeyID: string, volumeKeys?: readonly string[]) => {
    const blockDeviceMappings = [{ deviceName: '/dev/xvda', ebs: { encrypted: true, kmsKeyID } }];
    const written = aWrittenClass({ blockDeviceMappings });
    const options = volumeKeys === undefined ? {} : { volumeKeys };
    const result = validateNodeClass('default', written, CLUSTER_FACTS, options);
    return result.outcome === 'found' ? result.note : result.outcome;
  };

  it.each([KEY, '0a1b2c3d'])('that launches may use are accepted: %s', (key) => {
    expect(noteOf(key, [KEY])).toBeUndefined();
  });

  it('that no option names are noted with the rights that are missing', () => {
    expect(noteOf(KEY, [])).toContain(`The option volumeKeys does not name ${KEY}`);
    expect(noteOf(KEY, [])).toContain('kms:CreateGrant');
  });

  it('are not judged if they are aliases, or if the rights are not known', () => {
    expect(noteOf('alias/volumes', [])).toBeUndefined();
    expect(noteOf(KEY)).toBeUndefined();
  });
});
