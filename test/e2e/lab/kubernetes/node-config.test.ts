import { describe, expect, it } from 'vitest';
import { readNodeConfig } from './node-config.ts';

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
});
