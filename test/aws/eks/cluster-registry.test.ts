import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { toClusterIdentity } from '../../../shared/aws/dynamodb/cluster-identities.ts';
import { eksClusterRegistry } from '../../../shared/aws/eks/cluster-registry.ts';
import type { ClusterRegistry } from '../../../shared/ports/deleted-cluster.ts';
import { clusterRegistryContract } from '../../contracts/cluster-registry-contract.ts';

const ARN = 'arn:aws:eks:eu-west-1:123456789012:cluster/demo';
const PEM = '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n';
const KEYS = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

interface Answer {
  readonly status: number;
  readonly error?: string;
  readonly body: unknown;
}

const DESCRIBED: Answer = {
  status: 200,
  body: {
    cluster: {
      name: 'demo',
      arn: ARN,
      status: 'ACTIVE',
      certificateAuthority: { data: Buffer.from(PEM).toString('base64') },
    },
  },
};

interface LocalEks {
  readonly registry: ClusterRegistry;
  readonly requests: readonly { readonly url: string; readonly signature: string }[];
  answer(next: Answer): void;
}

async function anEks(): Promise<LocalEks> {
  let next = DESCRIBED;
  const requests: { url: string; signature: string }[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    requests.push({ url, signature: headers.authorization ?? '' });
    if (next.error !== undefined) response.setHeader('x-amzn-errortype', next.error);
    response.writeHead(next.status).end(JSON.stringify(next.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(() => resolve())));
  // A server that listens on a port has an address of this type.
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    registry: eksClusterRegistry({ cluster: 'demo', region: 'eu-west-1', endpoint }, async () => KEYS),
    requests,
    answer(answer) {
      next = answer;
    },
  };
}

clusterRegistryContract('EKS', async () => {
  const { registry, answer } = await anEks();
  return {
    registry,
    arn: ARN,
    ...toClusterIdentity(PEM),
    remove: () =>
      answer({
        status: 404,
        error: 'ResourceNotFoundException:http://eks.amazonaws.com/',
        body: { message: 'No cluster found for name: demo.' },
      }),
    fail: () => answer({ status: 403, error: 'AccessDeniedException', body: { message: 'no' } }),
  };
});

describe('the registry of EKS', () => {
  it('is asked for the one cluster, with a signature for its service and region', async () => {
    const { registry, requests } = await anEks();
    await registry.find();

    expect(requests).toMatchObject([{ url: '/clusters/demo' }]);
    expect(requests[0]?.signature).toMatch(/Credential=AKID\/\d{8}\/eu-west-1\/eks\//);
  });

  it.each<[string, Answer]>([
    ['a 404 that EKS did not send', { status: 404, body: 'not found' }],
    ['a throttled call', { status: 429, error: 'TooManyRequestsException', body: {} }],
    ['an error of EKS', { status: 500, error: 'ServerException', body: {} }],
    ['an answer without a cluster', { status: 200, body: {} }],
  ])('does not take %s for a deleted cluster', async (_, answered) => {
    const { registry, answer } = await anEks();
    answer(answered);

    expect(await registry.find()).toMatchObject({ outcome: 'unknown' });
  });

  it('does not take an outage for a deleted cluster', async () => {
    const registry = eksClusterRegistry(
      { cluster: 'demo', region: 'eu-west-1', endpoint: 'http://127.0.0.1:1' },
      async () => KEYS,
    );

    expect(await registry.find()).toMatchObject({ outcome: 'unknown' });
  });
});
