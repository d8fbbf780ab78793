import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../repository.ts';
import { type NodeConfig, readNodeConfig } from './node-config.ts';

const GOLDEN = join(REPOSITORY, 'test/ec2/node-class/golden');

const NODE_CONFIG = `Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster: {name: lab, apiServerEndpoint: "https://127.0.0.1", certificateAuthority: YQ==}
`;
const SCRIPT = `Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash -e
sudo sysctl -w vm.nr_hugepages=2048
`;

const userData = (...parts: readonly string[]): string =>
  Buffer.from(
    `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n${parts.map((part) => `--//\n${part}`).join('\n')}\n--//--\n`,
  ).toString('base64');

describe('the user data of a node in the lab', () => {
  it('reserves memory for huge pages by a script', () => {
    expect(readNodeConfig(userData(SCRIPT, NODE_CONFIG)).hugePagesMib).toBe(4096);
    expect(readNodeConfig(userData(NODE_CONFIG))).not.toHaveProperty('hugePagesMib');
  });

  it.each([
    ['bottlerocket-settings', ['dedicated=gpu:NoSchedule']],
    ['windows2022', []],
  ])('may have the format of %s', (file, taints) => {
    const text = readFileSync(join(GOLDEN, `${file}.txt`), 'utf8');
    const config = readNodeConfig(Buffer.from(text).toString('base64'));

    expect(config).toMatchObject({
      cluster: 'demo',
      labels: { 'karpenter.sh/nodepool': 'general' },
    });
    expect(config.maxPods).toBeGreaterThan(0);
    expect(config.isWindows ?? false).toBe(file.startsWith('windows'));
    expect(config.taints.map(formatTaint)).toEqual(expect.arrayContaining(taints));
  });
});

const formatTaint = ({ key, value, effect }: NodeConfig['taints'][number]): string => `${key}=${value}:${effect}`;
