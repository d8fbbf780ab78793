import { once } from 'node:events';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { onTestFinished } from 'vitest';
import { type ApiDouble, startApiDouble } from '../../kubernetes/support/api-double.ts';
import { aCertificate, type Identity } from '../../kubernetes/support/certificate.ts';
import { aLivePool, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { asTls, portOf } from '../cluster/kubeconfig-server.ts';

/** The credentials of a request. The texts are empty without a token or a certificate. */
export interface Caller {
  readonly token: string;
  readonly fingerprint: string;
}

/** The double of the API server behind TLS, where each request needs credentials. */
export interface SecuredApi {
  readonly url: string;
  readonly double: ApiDouble;
  readonly identity: Identity;
  /** Each sender once, in the order of their first requests. */
  readonly callers: readonly Caller[];
  /** The requests that got a 401. */
  readonly refusals: readonly Caller[];
  /** Decides about each request from now on. */
  accepts: (caller: Caller) => boolean;
}

/** Runs until the end of the test. */
export async function aSecuredApi(): Promise<SecuredApi> {
  const double = await startApiDouble();
  double.put(COLLECTIONS.pools, aLivePool());
  const identity = aCertificate();
  const callers: Caller[] = [];
  const refusals: Caller[] = [];
  const server = createServer(
    { cert: identity.certificate, key: identity.key, requestCert: true, rejectUnauthorized: false },
    (message, response) => {
      const caller = readCaller(message);
      const isKnown = callers.some((one) => JSON.stringify(one) === JSON.stringify(caller));
      if (!isKnown) callers.push(caller);
      if (api.accepts(caller)) pass(double.url, message, response);
      else {
        refusals.push(caller);
        response.writeHead(401).end('{"kind":"Status","code":401,"reason":"Unauthorized"}');
      }
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await double.close();
  });
  const api: SecuredApi = {
    ...{ url: `https://127.0.0.1:${portOf(server.address())}`, double, identity },
    ...{ callers, refusals, accepts: () => true },
  };
  return api;
}

const readCaller = ({ headers, socket }: IncomingMessage): Caller => ({
  token: (headers.authorization ?? '').replace('Bearer ', ''),
  fingerprint: asTls(socket).getPeerCertificate().fingerprint256 ?? '',
});

function pass(url: string, message: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', headers, url: path = '/' } = message;
  const onward = forward(new URL(path, url), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    answer.on('error', () => response.destroy()).pipe(response);
  });
  response.on('close', () => onward.destroy());
  onward.on('error', () => response.destroy());
  message.pipe(onward);
}
