import { describe, expect, it } from 'vitest';
import { fail } from '../../../cli/errors.ts';
import { chooseSource, type Decided, type Sources } from '../../../cli/explain/choose-source.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aSnapshot, NOON } from '../../support/builders.ts';

const decidedAt = (from: string, at: number): Decided => ({
  cluster: 'shop',
  decisions: [{ id: `d-${from}`, at, input: { kind: 'disruption', snapshot: aSnapshot({}), running: [] } }],
  from,
  gaps: [],
});
const recordOf = (minutes: number) => async () => decidedAt('record', NOON - minutes * MINUTE_MS);
const refuse = (code: 'cluster-unreachable' | 'forbidden' | 'bad-value') => async () => {
  throw fail({ code, what: `it is ${code}` });
};

const choose = (sources: Partial<Sources>): Promise<Decided> =>
  chooseSource({
    readRecord: recordOf(1),
    compareWithLive: async () => 'current',
    decideLive: async () => decidedAt('live', NOON),
    findLastRecord: async () => undefined,
    isAnswered: () => true,
    now: NOON,
    ...sources,
  });

describe('the source of an explanation', () => {
  it('is the record if its last decision is recent and has the object as it is now', async () => {
    expect(await choose({})).toEqual({
      ...decidedAt('record', NOON - MINUTE_MS),
      isCurrent: true,
    });
  });

  it.each<[string, Partial<Sources>]>([
    ['the cluster has no record', { readRecord: async () => undefined }],
    ['the last decision is older than five minutes', { readRecord: recordOf(6) }],
    ['the object is newer than the last decision', { isAnswered: ({ from }) => from === 'live' }],
    ['the object has changed since', { compareWithLive: async () => 'outdated' }],
    ['the object cannot be compared', { compareWithLive: refuse('forbidden') }],
  ])('is the live cluster if %s', async (_, sources) => {
    expect(await choose(sources)).toEqual(decidedAt('live', NOON));
  });

  it('is the live cluster, with a warning, if the record may not be read', async () => {
    const { from, warnings, gaps } = await choose({ readRecord: refuse('forbidden') });

    expect({ from, warnings, gaps }).toEqual({
      from: 'live',
      warnings: ['the record was not read: it is forbidden'],
      gaps: [],
    });
  });

  it.each<[string, Partial<Sources>]>([
    ['the last decision, if it knew the object', { compareWithLive: async () => 'gone' }],
    ['an earlier decision, if the last one did not', { isAnswered: () => false, findLastRecord: recordOf(1) }],
  ])('is, for an object that is gone, %s', async (_, sources) => {
    const { from, warnings } = await choose(sources);

    expect({ from, warnings }).toEqual({
      from: 'record',
      warnings: ['it is gone; this is how it was at 2026-01-01T11:59:00Z'],
    });
  });

  it('is the live cluster if no decision knows the object', async () => {
    expect((await choose({ isAnswered: () => false })).from).toBe('live');
  });

  it('is an older record, with its time, if the cluster is out of reach', async () => {
    const { from, warnings } = await choose({
      readRecord: recordOf(60),
      decideLive: refuse('cluster-unreachable'),
    });

    expect({ from, warnings }).toEqual({
      from: 'record',
      warnings: [
        'the cluster could not be read (it is cluster-unreachable); the last decision is of 2026-01-01T11:00:00Z',
      ],
    });
  });

  it.each<[string, Partial<Sources>]>([
    ['no source answers', { readRecord: refuse('forbidden'), decideLive: refuse('forbidden') }],
    ['the record is wrong', { readRecord: refuse('bad-value') }],
    ['the record does not know it', { isAnswered: () => false, decideLive: refuse('forbidden') }],
  ])('is none if %s', async (_, sources) => {
    await expect(choose(sources)).rejects.toThrow(/it is (forbidden|bad-value)/);
  });
});
