import { HeadObjectCommand, PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { LogLine } from '../../shared/aws/log.ts';
import { s3DecisionLog } from '../../shared/aws/s3-decision-log.ts';
import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import type { ProvisioningPlan } from '../../shared/model/plans.ts';
import { DAY_MS } from '../../shared/model/time.ts';
import { aDecision, decisionLogContract } from '../contracts/decision-log-contract.ts';
import { NOON } from '../support/builders.ts';
import { startS3 } from './support/local-s3.ts';

const s3 = await startS3();
afterAll(() => s3.stop());

const DECISION = aDecision();

const listDecisions = async (bucket: string): Promise<readonly string[]> =>
  (await s3.keys(bucket)).filter((key) => key.startsWith('decisions/'));

async function aDecisionLog() {
  const lines: LogLine[] = [];
  const bucket = await s3.createBucket();
  return {
    bucket,
    lines,
    decisionLog: s3DecisionLog(s3.client, { bucket, release: '0.1.0', log: (l) => lines.push(l) }),
  };
}

/** The log has times as texts. */
const eventLineSchema = z.object({
  fields: z.object({
    event: z.looseObject({ at: z.iso.datetime().transform((text) => Date.parse(text)) }).pipe(z.custom<ClusterEvent>()),
  }),
});
const storedSchema = z.object({ id: z.string(), plan: z.custom<ProvisioningPlan>() });

decisionLogContract('S3 and log', async () => {
  const { bucket, lines, decisionLog } = await aDecisionLog();
  return {
    decisionLog,
    async decisions() {
      const keys = await listDecisions(bucket);
      const stored = await Promise.all(keys.map((key) => s3.read(bucket, key)));
      return z.array(storedSchema).parse(stored);
    },
    events: async () => lines.flatMap((line) => eventLineSchema.safeParse(line).data?.fields.event ?? []),
  };
});

describe('the S3 decision log', () => {
  it('keeps the decisions of a UTC day under one prefix', async () => {
    const { bucket, decisionLog } = await aDecisionLog();

    await decisionLog.recordDecision(DECISION);
    await decisionLog.recordDecision({ ...DECISION, id: 'late', at: NOON + DAY_MS / 2 - 1 });
    await decisionLog.recordDecision({ ...DECISION, id: 'next', at: NOON + DAY_MS / 2 });

    expect(await listDecisions(bucket)).toEqual([
      'decisions/2026-01-01/late.json.gz',
      'decisions/2026-01-01/p-20260101T120000Z-4k7q.json.gz',
      'decisions/2026-01-02/next.json.gz',
    ]);
  });

  it.each<[number | undefined, string]>([
    [undefined, 'debug'],
    [NOON, 'warn'],
  ])(
    'logs the beginning of a drain, which the phase of the claim says too, only with its deadline: %s',
    async (deadline, level) => {
      const { lines, decisionLog } = await aDecisionLog();
      const event = { kind: 'draining', at: NOON, claim: 'general-1', pods: 1 } as const;

      await decisionLog.recordEvent(deadline === undefined ? event : { ...event, deadline });

      expect(lines).toMatchObject([{ level, message: 'draining' }]);
    },
  );

  it('marks objects as compressed JSON, so that tools show the text', async () => {
    const { bucket, decisionLog } = await aDecisionLog();

    await decisionLog.recordDecision(DECISION);

    const Key = 'decisions/2026-01-01/p-20260101T120000Z-4k7q.json.gz';
    const head = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key }));
    expect([head.ContentType, head.ContentEncoding]).toEqual(['application/json', 'gzip']);
  });

  it('asks S3 to refuse an object that exists, and takes the refusal as stored', async () => {
    const lines: LogLine[] = [];
    const client = new S3Client({ region: 'us-east-1' });
    const refusal = new S3ServiceException({
      name: 'PreconditionFailed',
      $fault: 'client',
      $metadata: { httpStatusCode: 412 },
    });
    const mock = mockClient(client).on(PutObjectCommand).rejects(refusal);
    const log = s3DecisionLog(client, {
      bucket: 'decisions',
      release: '0.1.0',
      log: (line) => lines.push(line),
    });

    await log.recordDecision(DECISION);

    const conditions = mock.commandCalls(PutObjectCommand).map(({ args: [command] }) => command.input.IfNoneMatch);
    expect(new Set(conditions)).toEqual(new Set(['*']));
    expect(lines.map(({ message }) => message)).toEqual(['decided']);
  });

  it('logs a decision that S3 refuses, and does not throw', async () => {
    const lines: LogLine[] = [];
    const broken = new S3Client({ region: 'us-east-1' });
    mockClient(broken).on(PutObjectCommand).rejects(new Error('SlowDown'));
    const decisionLog = s3DecisionLog(broken, {
      bucket: 'decisions',
      release: '0.1.0',
      log: (line) => lines.push(line),
    });

    await decisionLog.recordDecision(DECISION);

    expect(lines).toEqual([
      {
        level: 'error',
        message: 'decision not stored',
        fields: {
          decision: 'p-20260101T120000Z-4k7q',
          kind: 'provisioning',
          error: 'Error: SlowDown',
        },
      },
    ]);
  });
});
