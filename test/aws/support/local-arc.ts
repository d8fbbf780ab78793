import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EpochMs, SECOND_MS } from '../../../shared/model/time.ts';

export interface LocalArc {
  readonly endpoint: string;
  /** Authorization headers of all requests, oldest first. */
  readonly signatures: readonly string[];
  shift(zoneId: string, until: EpochMs, over?: Readonly<Record<string, unknown>>): void;
  autoshift(zoneId: string, appliedStatus: 'APPLIED' | 'NOT_APPLIED'): void;
  end(zoneId: string): void;
  /** From now on every request is answered with this error. */
  refuse(status: number, error: string): void;
  stop(): Promise<void>;
}

/** The part of ARC's API of 2022-10-30 that is queried for one cluster. */
export async function startArc(clusterArn: string): Promise<LocalArc> {
  const signatures: string[] = [];
  const shifts = new Map<string, Readonly<Record<string, unknown>>>();
  const autoshifts: Readonly<Record<string, unknown>>[] = [];
  let refusal: { readonly status: number; readonly error: string } | undefined;

  function answer(url: string, response: ServerResponse): void {
    const [, name] = /^\/managedresources\/([^/]+)$/.exec(url) ?? [];
    const isKnown = decodeURIComponent(name ?? '') === clusterArn;
    const error = refusal ?? (isKnown ? undefined : { status: 404, error: 'ResourceNotFoundException' });
    response.setHeader('content-type', 'application/json');
    if (error) {
      response.setHeader('x-amzn-errortype', `${error.error}:http://arc.amazonaws.com/`);
      response.writeHead(error.status).end(JSON.stringify({ message: 'no' }));
      return;
    }
    const zonalShifts = [...shifts.values()];
    response.end(JSON.stringify({ arn: clusterArn, appliedWeights: {}, zonalShifts, autoshifts }));
  }

  const server = createServer((request, response) => {
    signatures.push(request.headers.authorization ?? '');
    answer(request.url ?? '', response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this type.
  const { port } = server.address() as AddressInfo;

  return {
    endpoint: `http://127.0.0.1:${port}`,
    signatures,
    shift(zoneId, until, over = {}) {
      const expiryTime = until / SECOND_MS;
      shifts.set(zoneId, { appliedStatus: 'APPLIED', awayFrom: zoneId, expiryTime, ...over });
    },
    autoshift(awayFrom, appliedStatus) {
      autoshifts.push({ appliedStatus, awayFrom, startTime: 0 });
    },
    end(zoneId) {
      shifts.delete(zoneId);
    },
    refuse(status, error) {
      refusal = { status, error };
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
