import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { onNotice } from '../../functions/interruption/on-notice.ts';
import { eachRecord } from '../../functions/support/each-record.ts';
import { reconcileInterruption } from '../../shared/controllers/interruption/reconcile.ts';
import type { NodeClaims } from '../../shared/ports/records.ts';
import { addRunning, aFakeWorld, claimsOf, type FakeWorld, providerIdOf } from '../controllers/support/fake-ports.ts';
import { aBatch, aRecord } from './fixture.ts';

/** The batch size of the deployed queue. */
const BATCH = 10;
const MAX_RECEIVE_COUNT = 5;

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `general-${index}`);

const spotNotice = (claim: string): SQSRecord =>
  aRecord(
    JSON.stringify({
      source: 'aws.ec2',
      'detail-type': 'EC2 Spot Instance Interruption Warning',
      time: '2026-01-01T12:00:00Z',
      detail: { 'instance-id': providerIdOf(claim).split('/').at(-1) },
    }),
    { messageId: claim },
  );

async function withNodes(count: number): Promise<FakeWorld> {
  const world = aFakeWorld();
  for (const name of names(count)) await addRunning(world, name);
  return world;
}

/** Delivers messages as SQS does: in batches of ten, failed ones again, up to the receive limit. */
async function deliver(
  world: FakeWorld,
  nodeClaims: NodeClaims,
  records: readonly SQSRecord[],
): Promise<{ readonly batches: number; readonly deadLetters: readonly string[] }> {
  const ports = { ...world.ports, nodeClaims };
  const work = eachRecord(onNotice(ports.clock, (notice) => reconcileInterruption(ports, notice)));
  const waiting = records.map((record) => ({ record, receives: 0 }));
  const deadLetters: string[] = [];
  let batches = 0;
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH);
    batches += 1;
    const { batchItemFailures } = await work(aBatch(...batch.map(({ record }) => record)));
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { record, receives } of batch.filter((one) => failed.has(one.record.messageId))) {
      if (receives + 1 === MAX_RECEIVE_COUNT) deadLetters.push(record.messageId);
      else waiting.push({ record, receives: receives + 1 });
    }
  }
  return { batches, deadLetters };
}

const leaving = async (world: FakeWorld): Promise<readonly string[]> =>
  (await claimsOf(world)).flatMap(({ name, deletingAt }) => (deletingAt === undefined ? [] : name));

describe('a hundred spot notices at once', () => {
  it('drain a hundred claims, one notice each', async () => {
    const world = await withNodes(100);

    const { batches, deadLetters } = await deliver(world, world.ports.nodeClaims, names(100).map(spotNotice));

    expect(await leaving(world)).toHaveLength(100);
    expect(world.events).toHaveLength(100);
    expect([batches, deadLetters]).toEqual([10, []]);
  });

  it('list no claims, whether the instances are ours or not', async () => {
    const world = await withNodes(1);
    let lists = 0;
    const nodeClaims = {
      ...world.ports.nodeClaims,
      list: async () => {
        lists += 1;
        return world.ports.nodeClaims.list();
      },
    };

    await deliver(world, nodeClaims, names(100).map(spotNotice));

    expect(lists).toBe(0);
  });

  it('are delivered again if the table throttles them, without the others of their batch', async () => {
    const world = await withNodes(100);
    const refused = new Map([
      ['general-3', 1],
      ['general-47', 4],
    ]);
    const nodeClaims: NodeClaims = {
      ...world.ports.nodeClaims,
      async save(claim, reads) {
        const drained = refused.get(claim.name) ?? 0;
        refused.set(claim.name, drained - 1);
        if (drained > 0) throw new Error('the table is away');
        await world.ports.nodeClaims.save(claim, reads);
      },
    };

    const { deadLetters } = await deliver(world, nodeClaims, names(100).map(spotNotice));

    expect(await leaving(world)).toHaveLength(100);
    expect(world.events).toHaveLength(100);
    expect(deadLetters).toEqual([]);
  });

  it('reach the dead-letter queue one by one, after five attempts', async () => {
    const world = await withNodes(20);
    const nodeClaims: NodeClaims = {
      ...world.ports.nodeClaims,
      async save(claim, reads) {
        if (claim.name === 'general-7') throw new Error('never');
        await world.ports.nodeClaims.save(claim, reads);
      },
    };

    const { deadLetters } = await deliver(world, nodeClaims, names(20).map(spotNotice));

    expect(deadLetters).toEqual(['general-7']);
    expect(await leaving(world)).toHaveLength(19);
  });
});
