import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiUnreachableError } from '../../../shared/kubernetes/client/api-errors.ts';
import { createHttpTransport } from '../../../shared/kubernetes/client/http-transport.ts';
import { createKubernetesApi, type KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { aCertificate, type Identity } from '../support/certificate.ts';

const request = { verb: 'list', resource: 'nodes', path: '/api/v1/nodes' } as const;

let identity: Identity;
let server: Server;
let url: string;
const tokens: string[] = [];
beforeEach(async () => {
  identity = aCertificate();
  tokens.length = 0;
  server = createServer({ cert: identity.certificate, key: identity.key }, (message, response) => {
    tokens.push(message.headers.authorization ?? '');
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const apiThatTrusts = (certificateAuthority?: string): KubernetesApi =>
  createKubernetesApi({
    userAgent: 'test',
    transport: createHttpTransport({
      url,
      ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    }),
    tokens: { token: async () => 'secret', renew: () => {} },
  });

describe('the TLS connection to an API server', () => {
  it('trusts the CA of the cluster', async () => {
    await expect(apiThatTrusts(identity.certificate).read(request)).resolves.toEqual({});
    expect(tokens).toEqual(['Bearer secret']);
  });

  it.each([
    ['with a certificate of another CA', () => aCertificate().certificate],
    ['with a certificate of an unknown CA', () => undefined],
  ])('never sends the token to a server %s', async (_, authority) => {
    await expect(apiThatTrusts(authority()).read(request)).rejects.toThrow(ApiUnreachableError);
    expect(tokens).toEqual([]);
  });
});
