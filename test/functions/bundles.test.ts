import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { BUNDLING } from '../../infra/bundling/bundling.ts';
import type { LogLine } from '../../shared/aws/log.ts';
import type { withPublishedEvents } from '../../shared/composition/published-events.ts';
import { type LocalSqs, startSqs } from '../aws/support/local-sqs.ts';
import { NOON } from '../support/builders.ts';
import { aCall, GUARD_ENVIRONMENT, SETUP_ENVIRONMENT, WORKER_ENVIRONMENT } from './fixture.ts';

const KIB = 1024;

/** A cold start reads the whole bundle, and the API server waits for the intake's cold start. */
const LIMITS_KIB = {
  'event-intake': 128,
  provisioning: 2048,
  'node-lifecycle': 2048,
  disruption: 2048,
  interruption: 1024,
  sweep: 2048,
  poll: 1024,
  'cluster-setup': 1024,
  'node-class': 2048,
  'webhook-control': 1024,
  'deploy-check': 1024,
  'catalog-refresh': 1024,
} as const;
const NAMES = Object.keys(LIMITS_KIB) as (keyof typeof LIMITS_KIB)[];

/** A generous limit for a busy machine. */
const BUNDLING_MS = 60_000;

let sqs: LocalSqs;
let folder: string;
let bundles: Bundles;
const before = { ...process.env };

beforeAll(async () => {
  sqs = await startSqs();
  folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  bundles = await bundleAll(folder);
}, BUNDLING_MS);

afterAll(async () => {
  process.env = before;
  await sqs.stop();
  await rm(folder, { recursive: true });
});

interface Bundles {
  /** Bytes by function. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Paths of all source files in any of the bundles. */
  readonly inputs: readonly string[];
  /** Functions whose bundle has a part of the client. */
  readonly containsEventBridge: readonly string[];
}

/** Bundles the functions with the options of the deployment. */
async function bundleAll(outdir: string): Promise<Bundles> {
  const { metafile } = await build({
    ...BUNDLING,
    entryPoints: NAMES.map((name) => ({ in: `functions/${name}/handler.ts`, out: name })),
    outdir,
    outExtension: { '.js': '.mjs' },
    metafile: true,
    logLevel: 'error',
  });
  const outputs = Object.entries(metafile.outputs);
  return {
    sizes: Object.fromEntries(outputs.map(([file, { bytes }]) => [nameOf(file), bytes])),
    inputs: Object.keys(metafile.inputs),
    containsEventBridge: outputs
      .filter(([, { inputs }]) => Object.keys(inputs).some((path) => path.includes('@aws-sdk/client-eventbridge')))
      .map(([file]) => nameOf(file)),
  };
}

const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1, -'.mjs'.length);

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

const publisherSchema = z.object({
  withPublishedEvents: z.custom<typeof withPublishedEvents>((value) => typeof value === 'function'),
});

const moduleSchema = z.object({
  handler: z.custom<Handler>((value) => typeof value === 'function'),
});

/**
 * @param start - distinguishes cold starts: Node loads a module once per URL
 */
async function load(name: string, start = 'first'): Promise<Handler> {
  const file = join(folder, `${name}.mjs`);
  return moduleSchema.parse(await import(`${file}?${start}`)).handler;
}

describe('the bundle of a function', () => {
  it.each(NAMES)('%s is small', (name) => {
    expect(bundles.sizes[name]).toBeLessThanOrEqual(LIMITS_KIB[name] * KIB);
  });

  it.each(NAMES)('%s starts with the environment of the deployment and without a network', async (name) => {
    Object.assign(process.env, GUARD_ENVIRONMENT, SETUP_ENVIRONMENT, {
      POWERTOOLS_METRICS_NAMESPACE: 'Mortise',
    });

    expect(await load(name)).toBeTypeOf('function');
  });

  it('never contains @kubernetes/client-node, which only the command loads', () => {
    const foreign = /node_modules\/(?:@kubernetes\/client-node|js-yaml|undici|openid-client)\//;
    expect(bundles.inputs.length).toBeGreaterThan(100);
    expect(bundles.inputs.filter((path) => foreign.test(path))).toEqual([]);
  });

  it('contains the client of EventBridge only if the function records events', () => {
    const publishing = NAMES.filter((name) => bundles.containsEventBridge.includes(name));
    expect(publishing).toEqual([
      ...['provisioning', 'node-lifecycle', 'disruption', 'interruption', 'sweep', 'node-class'],
    ]);
  });

  it('sends events with a client that it loads at the first of them', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        requests.push(body);
        response
          .writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
          .end('{"FailedEntryCount":1,"Entries":[{"ErrorCode":"Refused","ErrorMessage":"no"}]}');
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const outfile = join(folder, 'published-events.mjs');
    const entryPoints = ['shared/composition/published-events.ts'];
    await build({ ...BUNDLING, entryPoints, outfile, logLevel: 'error' });
    const { withPublishedEvents } = publisherSchema.parse(await import(outfile));
    const lines: LogLine[] = [];

    const decisionLog = withPublishedEvents(
      {
        ...{ kinds: ['PodsWaiting'], bus: 'default', cluster: 'shop' },
        log: (line) => lines.push(line),
        client: {
          region: 'us-east-1',
          endpoint: `http://127.0.0.1:${port}`,
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        },
      },
      {
        recordDecision: async () => {},
        recordConfirmation: async () => {},
        recordEvent: async () => {},
      },
    );
    await decisionLog.recordEvent({ kind: 'unplaced', at: NOON, pods: ['ml/a'], text: 'full' });
    await decisionLog.flush?.();
    server.close();

    expect(requests.map((body): unknown => JSON.parse(body))).toMatchObject([
      { Entries: [{ Source: 'mortise', DetailType: 'PodsWaiting', Time: NOON / 1_000 }] },
    ]);
    expect(lines).toMatchObject([{ fields: { count: 1, error: 'Refused: no' } }]);
  });

  it('event-intake turns a call into a message', async () => {
    const queues = await sqs.createQueues();
    Object.assign(process.env, WORKER_ENVIRONMENT, {
      PLAN_QUEUE: queues.plan,
      AWS_ENDPOINT_URL_SQS: new URL(queues.plan).origin,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });
    const handler = await load('event-intake', 'second');
    const resource = { group: 'events.k8s.io', version: 'v1', resource: 'events' };
    const body = JSON.stringify({ request: { uid: 'u-1', resource } });

    const answer = await handler(aCall({ body }), { functionName: 'event-intake' });

    expect(answer).toMatchObject({ statusCode: 200 });
    expect(await sqs.drain(queues.plan)).toEqual([{ topic: 'plan' }]);
  });
});
