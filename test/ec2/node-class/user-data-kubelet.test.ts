import { describe, expect, it } from 'vitest';
import { withUserDataReserves } from '../../../shared/ec2/node-class/user-data/kubelet-reserves.ts';
import type { EC2NodeClass } from '../../../shared/model/nodes/node-class.ts';
import { GIB, MIB } from '../../../shared/model/resources.ts';
import { aNodeClass } from '../../support/builders.ts';
import { typeOf } from '../catalogue/ec2-type.ts';

const TOML = `[settings.kubernetes.eviction-hard]
"memory.available" = "5%"
[settings.kubernetes.kube-reserved]
memory = "2Gi"
`;
const YAML = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      maxPods: 4
      systemReserved: {cpu: 200m}
      evictionHard: {memory.available: 500Mi}
`;
const MIME = `Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: application/node.eks.aws

${YAML}
--b
Content-Type: text/x-shellscript

echo hello
--b--
`;

const kubeletOf = (over: Partial<EC2NodeClass>, userData?: string) =>
  withUserDataReserves(aNodeClass(over), userData).kubelet;

describe('kubelet reserves in custom user data', () => {
  it('count on Bottlerocket', () => {
    expect(kubeletOf({ amiFamily: 'Bottlerocket' }, TOML)).toEqual({
      kubeReserved: { memory: 2 * GIB },
      evictionHard: { 'memory.available': '5%' },
    });
  });

  it.each([
    ['one document', YAML],
    ['one of several parts', MIME],
  ])('count on AL2023 in %s, except for the number of pods', (_, text) => {
    expect(kubeletOf({}, text)).toEqual({
      systemReserved: { cpu: 200 },
      evictionHard: { 'memory.available': '500Mi' },
    });
  });

  it('yield to those of the class, per signal', () => {
    const kubelet = { evictionHard: { 'nodefs.available': '5%', 'memory.available': '1Gi' } };

    expect(kubeletOf({ kubelet }, YAML)).toEqual({
      systemReserved: { cpu: 200 },
      evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '5%' },
    });
  });

  it.each([
    ['a script', '#!/bin/bash\necho hi', 'AL2023'],
    ['no TOML', 'not = = toml', 'Bottlerocket'],
    ['parts without a boundary', 'Content-Type: multipart/mixed\n\nx', 'AL2023'],
    ['a script of AL2, whatever it does', YAML, 'AL2'],
    ['settings of something else', '[settings.ntp]\ntime-servers = []', 'Bottlerocket'],
  ] as const)('are ignored in %s', (_, text, amiFamily) => {
    expect(kubeletOf({ amiFamily, kubelet: { maxPods: 20 } }, text)).toEqual({ maxPods: 20 });
  });

  it('are subtracted from allocatable', () => {
    const plain = typeOf('m5.large').allocatable;
    const reported = typeOf('m5.large', { kubelet: kubeletOf({}, YAML) }).allocatable;

    expect((plain.memory ?? 0) - (reported.memory ?? 0)).toBe(400 * MIB);
    expect((plain.cpu ?? 0) - (reported.cpu ?? 0)).toBe(200);
  });
});
