import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { aFolder } from '../call.ts';
import { callOnForeignCluster } from './foreign-cluster.ts';

describe('in a cluster without NodePools', () => {
  it('explain says that no NodePool could launch a node', async () => {
    const { code, stdout } = await callOnForeignCluster(['explain', '--pending']);

    expect(code).toBe(0);
    expect(stdout).toContain('shop/web-1 waits');
    expect(stdout).toContain('no-usable-pool  no NodePool of an EC2NodeClass that could launch a node');
  });

  it('explain reads the room of running nodes', async () => {
    const { code, stdout } = await callOnForeignCluster(['explain', 'pod', 'shop/web-1']);

    expect(code).toBe(0);
    expect(stdout).toContain('node node-1');
  });

  it('snapshot writes pods and nodes', async () => {
    const out = join(await aFolder(), 'shop.json.gz');
    const { code, stdout } = await callOnForeignCluster(['snapshot', '--out', out]);

    expect(code).toBe(0);
    expect(stdout).toContain('1 pod, 1 node, 0 NodeClaims, 0 NodePools');
  });
});

it('a server that knows no nodes is no API server', async () => {
  const { code, stderr } = await callOnForeignCluster(['explain', '--pending'], [COLLECTIONS.nodes]);

  expect(code).toBe(2);
  expect(stderr).toMatch(
    /error: no API server of Kubernetes answers there\n {2}where: .*\n {2}why: {3}it does not know nodes\n {2}fix: {3}check the server of the context/,
  );
});

it('uninstall names the command that installs the CRDs', async () => {
  const { code, stderr } = await callOnForeignCluster(['uninstall']);

  expect(code).toBe(2);
  expect(stderr).toContain('error: the API server does not know nodepools');
  expect(stderr).toContain('fix:   mortise deploy installs the CRDs');
});
