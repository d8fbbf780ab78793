import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';
import { startApiDouble } from '../../kubernetes/support/api-double.ts';
import { aLiveNode, aLivePod, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import type { RawObject } from '../../kubernetes/support/raw-object.ts';
import { aFolder, type CommandOutcome, mortise } from '../call.ts';

/** A pod that waits for a node. */
export const aWaitingPod = (namespace: string, name: string): RawObject =>
  aLivePod({
    metadata: { name, namespace, uid: name },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu: '2' } } }] },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
    },
  });

const WAITING = aWaitingPod('shop', 'web-1');

/** EKS with one cluster, CloudFormation without a stack of Mortise, and EC2 without anything. */
async function anEmptyAccount(endpoint: string): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/clusters/shop') {
      const certificateAuthority = { data: 'LS0t' };
      response.end(JSON.stringify({ cluster: { name: 'shop', endpoint, certificateAuthority } }));
      return;
    }
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

/**
 * Starts a cluster that Cluster Autoscaler, or nothing, scales: it has no CRDs.
 *
 * @returns its kubeconfig
 */
export async function startForeignCluster(
  unserved: readonly string[] = [COLLECTIONS.pools, COLLECTIONS.claims, COLLECTIONS.nodeClasses],
  pods: readonly RawObject[] = [WAITING],
) {
  const double = await startApiDouble();
  onTestFinished(double.close);
  for (const kind of unserved) double.unserved.add(kind);
  double.fail('/version', { status: 200, text: '{"major":"1","minor":"34"}' });
  double.put(COLLECTIONS.nodes, aLiveNode());
  for (const pod of pods) double.put(COLLECTIONS.pods, pod);
  vi.stubEnv('AWS_ENDPOINT_URL', await anEmptyAccount(double.url));
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'none');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'none');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return {
    'current-context': 'shop',
    contexts: [{ name: 'shop', context: { cluster: 'shop' } }],
    clusters: [{ name: 'shop', cluster: { server: double.url } }],
  };
}

/** Calls a command with the kubeconfig of such a cluster. */
export async function callOnForeignCluster(
  argv: readonly string[],
  unserved?: readonly string[],
): Promise<CommandOutcome> {
  const config = await startForeignCluster(unserved);
  const folder = await aFolder({ config: JSON.stringify(config) });
  return await mortise([...argv, '--kubeconfig', join(folder, 'config')]);
}
