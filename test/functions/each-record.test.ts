import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { eachRecord } from '../../functions/support/each-record.ts';
import { metrics } from '../../functions/support/metrics.ts';
import { aBatch, aGroupRecord, aRecord } from './fixture.ts';

/** Records which messages it handled; fails for the given ones. */
function aWorker(...failing: readonly string[]) {
  const handled: string[] = [];
  const work = eachRecord(async ({ body }: SQSRecord) => {
    if (failing.includes(body)) throw new Error(`${body} fails`);
    handled.push(body);
  });
  return { handled, work };
}

const failures = (...ids: readonly string[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

describe('a batch of a standard queue', () => {
  it('succeeds if every record succeeds', async () => {
    const { handled, work } = aWorker();

    expect(await work(aBatch(aRecord('a'), aRecord('b')))).toEqual(failures());
    expect(handled).toEqual(['a', 'b']);
  });

  it('reports only the failed records', async () => {
    const { handled, work } = aWorker('b');

    expect(await work(aBatch(aRecord('a'), aRecord('b'), aRecord('c')))).toEqual(failures('b'));
    expect(handled).toEqual(['a', 'c']);
  });

  it('counts failures, and publishes no count without one', async () => {
    const count = vi.spyOn(metrics, 'count');
    await aWorker().work(aBatch(aRecord('a')));
    expect(count).not.toHaveBeenCalled();

    await aWorker('a', 'b').work(aBatch(aRecord('a'), aRecord('b')));
    expect(count.mock.calls).toEqual([['controller_runtime_reconcile_errors_total', { controller: '' }, 2]]);
  });
});

describe('a batch of an ordered queue', () => {
  it('reports the failed record and all behind it, not those before it', async () => {
    const names = Array.from({ length: 10 }, (_, index) => String(index + 1));
    const { handled, work } = aWorker('3');

    const result = await work(aBatch(...names.map((name) => aGroupRecord(name, 'one'))));

    expect(result).toEqual(failures(...names.slice(2)));
    expect(handled).toEqual(['1', '2']);
  });

  it('reports only records of the failed group', async () => {
    const { handled, work } = aWorker('a1');
    const batch = aBatch(
      aGroupRecord('a1', 'a'),
      aGroupRecord('b1', 'b'),
      aGroupRecord('a2', 'a'),
      aGroupRecord('b2', 'b'),
    );

    expect(await work(batch)).toEqual(failures('a1', 'a2'));
    expect(handled).toEqual(['b1', 'b2']);
  });
});
