import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { UserDataError } from '../../../shared/ec2/node-class/user-data/boot-facts.ts';
import { buildUserData } from '../../../shared/ec2/node-class/user-data/user-data.ts';
import { CLUSTER_FACTS } from '../../support/node-classes.ts';
import { bootFacts, partsOf } from './boot.ts';

const NODE_CONFIG = 'application/node.eks.aws';
const SHELL = 'text/x-shellscript; charset="us-ascii"';

const partsFor = (over: Parameters<typeof bootFacts>[0] = {}) => partsOf(buildUserData('AL2023', bootFacts(over)));
const configOf = (over: Parameters<typeof bootFacts>[0] = {}) => parse(partsFor(over).at(-1)?.body ?? '') as unknown;

describe('user data of AL2023', () => {
  it('is one NodeConfig with the cluster, the labels and the taints', () => {
    expect(partsFor().map(({ type }) => type)).toEqual([NODE_CONFIG]);
    expect(configOf()).toEqual({
      apiVersion: 'node.eks.aws/v1alpha1',
      kind: 'NodeConfig',
      spec: {
        cluster: {
          name: 'demo',
          apiServerEndpoint: CLUSTER_FACTS.endpoint,
          certificateAuthority: CLUSTER_FACTS.certificateAuthority,
          cidr: '10.100.0.0/16',
        },
        containerd: {},
        instance: { localStorage: {} },
        kubelet: {
          config: {
            clusterDNS: ['10.100.0.10'],
            maxPods: 29,
            registerWithTaints: [
              { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
              { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
            ],
          },
          flags: ['--node-labels="karpenter.sh/capacity-type=spot,team=a"'],
        },
      },
    });
  });

  it('keeps a long certificate on one line', () => {
    const certificateAuthority = 'QUJD'.repeat(500);
    const cluster = { ...CLUSTER_FACTS, certificateAuthority };

    expect(configOf({ cluster })).toMatchObject({ spec: { cluster: { certificateAuthority } } });
  });

  it('combines instance store disks if the class requires it', () => {
    expect(configOf({ usesRaid0: true })).toMatchObject({
      spec: { instance: { localStorage: { strategy: 'RAID0' } } },
    });
  });

  it('passes on unknown fields of the kubelet', () => {
    const kubelet = { maxPods: 42, registryPullQPS: 10, featureGates: { A: true } };

    expect(configOf({ kubelet })).toMatchObject({ spec: { kubelet: { config: kubelet } } });
  });

  it.each([
    ['a shell script', '#!/bin/bash\necho hi', SHELL],
    ['a NodeConfig', 'kind: NodeConfig\nspec: {}', NODE_CONFIG],
    ['neither', '- a list', SHELL],
  ])('puts the custom user data before ours: %s', (_, custom, type) => {
    const [first, second] = partsFor({ custom });

    expect(first).toEqual({ type, body: custom });
    expect(second?.type).toBe(NODE_CONFIG);
  });

  it.each([
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="BOUND"',
    'Content-Type: multipart/mixed; boundary=BOUND\r\nMIME-Version: 1.0',
  ])('puts the custom parts before ours, in their order: %j', (head) => {
    const custom = `${head}\n\n--BOUND\nContent-Type: ${NODE_CONFIG}\n\nspec: { kubelet: { config: { maxPods: 42 } } }\n--BOUND\nContent-Type: ${SHELL}\n\n#!/bin/bash\necho hi\n--BOUND--\n`;

    const parts = partsFor({ custom, kubelet: { maxPods: 110 } });

    expect(parts.map(({ type }) => type)).toEqual([NODE_CONFIG, SHELL, NODE_CONFIG]);
    expect(parts[1]?.body).toBe('#!/bin/bash\necho hi');
    expect(configOf({ custom, kubelet: { maxPods: 110 } })).toMatchObject({
      spec: { kubelet: { config: { maxPods: 110 } } },
    });
  });

  it('cannot be built if the service CIDR is unknown', () => {
    const { serviceCidr: _, ...cluster } = CLUSTER_FACTS;

    expect(() => buildUserData('AL2023', bootFacts({ cluster }))).toThrow(UserDataError);
  });

  it("cannot exceed EC2's limit", () => {
    const custom = `#!/bin/bash\n#${'x'.repeat(16_384)}`;

    expect(() => buildUserData('AL2023', bootFacts({ custom }))).toThrow('User data is limited to');
  });

  it('reports parts without a boundary', () => {
    const custom = 'MIME-Version: 1.0\nContent-Type: multipart/mixed\n\nhello';

    expect(() => buildUserData('AL2023', bootFacts({ custom }))).toThrow('names no boundary');
  });
});

describe('user data of the family Custom', () => {
  it('is the custom user data, byte for byte', () => {
    const custom = '  #!/bin/sh\r\n\tboot "my way"\n';

    expect(buildUserData('Custom', bootFacts({ custom }))).toBe(custom);
  });
});
