import { createServer, type Server, type ServerResponse } from 'node:http';
import { type CliError, fail } from '../errors.ts';

/** What the process says of itself to whoever asks. */
export interface Probes {
  /** Absent: well. Else why it should be started anew. */
  health(): string | undefined;
  /** Absent: at work, or ready to be. Else what it waits for. */
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
 * Serves `/healthz`, `/readyz` and `/metrics` on both ports, on all addresses: kubelets and load
 * balancers ask from outside.
 *
 * @param wanted - 0: any that is free; one port may be both
 * @throws CliError - `port-in-use`
 */
export async function servedProbes(wanted: ProbePorts, probes: Probes): Promise<ProbeServers> {
  const health = await serve(wanted.healthPort, probes);
  const isShared = wanted.metricsPort === wanted.healthPort && wanted.metricsPort !== 0;
  const metrics = isShared ? health : await serve(wanted.metricsPort, probes);
  return {
    ports: { healthPort: portOf(health), metricsPort: portOf(metrics) },
    close: async () => {
      await Promise.all([...new Set([health, metrics])].map(ended));
    },
  };
}

async function serve(port: number, probes: Probes): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(probes, request.url ?? '/', response);
  });
  await listening(server, port);
  return server;
}

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

const ended = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const listening = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? portInUse(port, cause) : cause);
    });
    server.listen(port, resolve);
  });

const portInUse = (port: number, cause: Error): CliError =>
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
      return verdict(response, probes.health());
    case '/readyz':
      return verdict(response, probes.readiness());
    case '/metrics': {
      const { contentType, text } = await probes.metrics();
      response.writeHead(200, { 'content-type': contentType }).end(text);
      return;
    }
    default:
      response.writeHead(404).end();
  }
}

const verdict = (response: ServerResponse, trouble: string | undefined): void => {
  response
    .writeHead(trouble === undefined ? 200 : 503, { 'content-type': 'text/plain' })
    .end(`${trouble ?? 'ok'}\n`);
};
