import { describe, expect, it } from 'vitest';
import { mortise } from '../call.ts';

const OLD = `# nodes of the data team
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: batch}
spec:
  # who pays
  labels: {team: data}
  requirements:
    - {key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}
    - {key: karpenter.k8s.aws/instance-family, operator: In, values: [c6i, c7i]}
  kubeletConfiguration: {maxPods: 60, containerRuntime: containerd}
  limits: {resources: {cpu: "400"}}
  ttlSecondsAfterEmpty: 45 # until prices move
  weight: 20
  providerRef: {name: batch-nodes}
---
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: batch-nodes}
spec:
  amiFamily: Bottlerocket
  subnetSelector: {env: "prod,stage", tier: private}
  securityGroupSelector: {aws-ids: "sg-0aa,sg-0bb"}
`;

const NEW = `# nodes of the data team
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: batch
spec:
  weight: 20
  limits:
    cpu: "400"
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: 45s # until prices move
  template:
    metadata:
      # who pays
      labels:
        team: data
    spec:
      expireAfter: Never
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: batch-nodes
      requirements:
        - key: karpenter.sh/capacity-type
          operator: In
          values:
            - spot
            - on-demand
        - key: karpenter.k8s.aws/instance-family
          operator: In
          values:
            - c6i
            - c7i
        - key: kubernetes.io/os
          operator: In
          values:
            - linux
        - key: kubernetes.io/arch
          operator: In
          values:
            - amd64
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: batch-nodes
spec:
  role: node-role
  amiSelectorTerms:
    - alias: bottlerocket@latest
  subnetSelectorTerms:
    - tags:
        env: prod
        tier: private
    - tags:
        env: stage
        tier: private
  securityGroupSelectorTerms:
    - id: sg-0aa
    - id: sg-0bb
  metadataOptions:
    httpEndpoint: enabled
    httpProtocolIPv6: disabled
    httpPutResponseHopLimit: 2
    httpTokens: required
  kubelet:
    maxPods: 60
`;

const convert = (text: string, ...flags: readonly string[]) =>
  mortise(['convert', '-f', 'old.yaml', ...flags], { files: { 'old.yaml': text } });

describe('mortise convert', () => {
  it('writes v1 with comments to stdout and messages to stderr', async () => {
    const { code, stdout, stderr } = await convert(OLD, '--role', 'node-role');

    expect(code).toBe(0);
    expect(stdout).toBe(NEW);
    expect(stderr.split('\n').map((line) => line.split(':', 1)[0])).toEqual([
      'warning W-01 Provisioner/batch spec.requirements',
      'warning W-04 Provisioner/batch spec.kubeletConfiguration.containerRuntime',
      'warning W-09 Provisioner/batch spec.ttlSecondsUntilExpired',
      'warning W-10 Provisioner/batch spec.disruption.budgets',
      'warning W-07 AWSNodeTemplate/batch-nodes spec.metadataOptions.httpPutResponseHopLimit',
      '',
    ]);
  });

  it.each([
    ['after ---', '---\n# owner: team a\nBODY'],
    ['before ---', '# owner: team a\n---\nBODY'],
    ['on two lines after ---, as Helm writes its sources', '---\n# owner: team a\n# Source: x\nBODY'],
    ['before the first key', '# owner: team a\nBODY'],
  ])('keeps a comment %s', async (_, text) => {
    const body =
      'apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: a}\nspec: {template: {spec: {nodeClassRef: {name: b}, requirements: []}}}\n';
    const { stdout } = await convert(text.replace('BODY', body));

    expect(stdout).toMatch(/^# owner: team a\n/);
    if (text.includes('# Source')) expect(stdout).toMatch(/# Source: x\n/);
  });

  it('prints a List for kubectl with -o json', async () => {
    const { stdout } = await convert(OLD, '-o', 'json', '--role', 'node-role', '-q');

    expect(JSON.parse(stdout)).toMatchObject({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ kind: 'NodePool' }, { kind: 'EC2NodeClass' }],
    });
  });

  it('leaves out what it cannot convert and exits with 1', async () => {
    const { code, stdout, stderr } = await convert(
      OLD.replace('  weight: 20', '  weight: 20\n  consolidation: {enabled: true}'),
      '-q',
    );

    expect(code).toBe(1);
    expect(stdout).not.toContain('NodePool');
    expect(stdout).toContain('EC2NodeClass');
    expect(stderr).toBe(
      'error X-05 Provisioner/batch spec: consolidation.enabled and ttlSecondsAfterEmpty exclude each other: keep one of them\n',
    );
  });

  it('treats unreadable YAML as an object that is not converted', async () => {
    const { code, stderr } = await convert('a: [\n');

    expect(code).toBe(1);
    expect(stderr).toContain('error X-01 old.yaml:');
  });

  it.each([[['convert']], [['convert', '-f', 'no.yaml']], [['convert', '-f', '-', '--to', 'v2']]])(
    'exits with 2 for the arguments %j',
    async (argv) => {
      expect((await mortise(argv)).code).toBe(2);
    },
  );
});
