import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startApiDouble } from '../../kubernetes/support/api-double.ts';
import { aLiveNode, aLivePod, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { aFolder, mortise } from '../call.ts';

const WAITING = aLivePod({
  metadata: { name: 'web-1', namespace: 'shop', uid: 'web-1' },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '2' } } }] },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
  },
});

/** CloudFormation without a stack of Mortise, and EC2 without anything. */
async function anEmptyAccount(): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { Action = '', StackName } = Object.fromEntries(new URLSearchParams(body));
      const isMissing = StackName !== undefined;
      response.writeHead(isMissing ? 400 : 200, { 'content-type': 'text/xml' });
      response.end(
        isMissing
          ? `<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack with id ${StackName} does not exist</Message></Error></ErrorResponse>`
          : `<${Action}Response/>`,
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

/** Calls a command on a cluster that Cluster Autoscaler, or nothing, scales: it has no CRDs. */
async function callOnForeignCluster(
  argv: readonly string[],
  unserved: readonly string[] = [COLLECTIONS.pools, COLLECTIONS.claims, COLLECTIONS.nodeClasses],
) {
  const double = await startApiDouble();
  onTestFinished(double.close);
  for (const kind of unserved) double.unserved.add(kind);
  double.fail('/version', { status: 200, text: '{"major":"1","minor":"34"}' });
  double.put(COLLECTIONS.nodes, aLiveNode());
  double.put(COLLECTIONS.pods, WAITING);
  vi.stubEnv('AWS_ENDPOINT_URL', await anEmptyAccount());
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'none');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'none');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const config = {
    'current-context': 'shop',
    contexts: [{ name: 'shop', context: { cluster: 'shop' } }],
    clusters: [{ name: 'shop', cluster: { server: double.url } }],
  };
  const folder = await aFolder({ config: JSON.stringify(config) });
  return await mortise([...argv, '--kubeconfig', join(folder, 'config')]);
}

describe('in a cluster without NodePools', () => {
  it('explain says that no NodePool could launch a node', async () => {
    const { code, stdout } = await callOnForeignCluster(['explain', '--pending']);

    expect(code).toBe(0);
    expect(stdout).toContain('shop/web-1 waits');
    expect(stdout).toContain('no-usable-pool  none of 0 NodePools is Ready');
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
  const { code, stderr } = await callOnForeignCluster(
    ['explain', '--pending'],
    [COLLECTIONS.nodes],
  );

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
