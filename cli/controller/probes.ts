import { createServer, type Server, type ServerResponse } from 'node:http';
import { type CliError, fail } from '../errors.ts';

/** The answers to health probes and scrapes. */
export interface Probes {
  /** `undefined` if healthy; otherwise the reason for a restart. */
  health(): string | undefined;
  /** `undefined` if ready; otherwise what the process waits for. */
  readiness(): string | undefined;
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface ProbePorts {
  readonly metricsPort: number;
  readonly healthPort: number;
}

export interface ProbeServers {
  readonly ports: ProbePorts;
  close(): Promise<void>;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics` on both ports and all addresses, because kubelets and
 * load balancers call from outside.
 *
 * @param requestedPorts - 0 takes any free port; both may be the same
 * @throws CliError - `port-in-use`
 */
export async function serveProbes(requestedPorts: ProbePorts, probes: Probes): Promise<ProbeServers> {
  const health = await serve(requestedPorts.healthPort, probes);
  const isShared = requestedPorts.metricsPort === requestedPorts.healthPort && requestedPorts.metricsPort !== 0;
  const metrics = isShared ? health : await serve(requestedPorts.metricsPort, probes);
  return {
    ports: { healthPort: portOf(health), metricsPort: portOf(metrics) },
    close: async () => {
      await Promise.all([...new Set([health, metrics])].map(closeServer));
    },
  };
}

async function serve(port: number, probes: Probes): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(probes, request.url ?? '/', response);
  });
  await listen(server, port);
  return server;
}

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? toPortInUseError(port, cause) : cause);
    });
    server.listen(port, resolve);
  });

const toPortInUseError = (port: number, cause: Error): CliError =>
  fail(
    {
      code: 'port-in-use',
      what: `port ${port} is in use`,
      where: 'METRICS_PORT, HEALTH_PROBE_PORT',
      why: 'another program listens on it',
      fix: 'name others; 0 takes any that is free',
    },
    { cause },
  );

async function answer(probes: Probes, url: string, response: ServerResponse): Promise<void> {
  switch (url.split('?', 1).join()) {
    case '/healthz':
      return respondWithStatus(response, probes.health());
    case '/readyz':
      return respondWithStatus(response, probes.readiness());
    case '/metrics': {
      const { contentType, text } = await probes.metrics();
      response.writeHead(200, { 'content-type': contentType }).end(text);
      return;
    }
    default:
      response.writeHead(404).end();
  }
}

const respondWithStatus = (response: ServerResponse, problem: string | undefined): void => {
  response.writeHead(problem === undefined ? 200 : 503, { 'content-type': 'text/plain' }).end(`${problem ?? 'ok'}\n`);
};
