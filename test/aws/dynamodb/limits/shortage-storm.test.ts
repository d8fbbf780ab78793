import { describe, expect, it } from 'vitest';
import { dynamoTable } from '../../../../shared/aws/dynamodb/table/dynamo-table.ts';
import { dynamoUnavailableOfferings } from '../../../../shared/aws/dynamodb/unavailable-offerings.ts';
import { MINUTE_MS } from '../../../../shared/model/time.ts';
import { NOON } from '../../../support/builders.ts';
import { createLimitedTable } from '../../../support/limits/limited-table.ts';
import { createTimeline } from '../../../support/limits/timeline.ts';

const OFFERING = { instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'spot' } as const;
/** The functions that handle notices, as they are deployed: ten messages each. */
const PROCESSES = 10;
const NOTICES_EACH = 10;

describe('notices for instances of one offering, which many processes handle at once', () => {
  it('are all marked, with one write that succeeds', async () => {
    const timeline = createTimeline(NOON);
    const { client, rows } = createLimitedTable({ timeline, latencyMs: 5 });
    const stores = Array.from({ length: PROCESSES }, () =>
      dynamoUnavailableOfferings(dynamoTable(client, { table: 'mortise', cluster: 'demo' }, () => {}, timeline)),
    );
    let now = NOON;
    const marks = stores.flatMap((store) =>
      Array.from({ length: NOTICES_EACH }, () => {
        now += 1;
        return store.mark([OFFERING], now);
      }),
    );

    const marked = (await timeline.run(() => Promise.all(marks))).flat();

    const times = new Set(marked.map(({ until }) => until));
    expect(marked).toHaveLength(PROCESSES * NOTICES_EACH);
    expect(times.size).toBe(1);
    expect(Math.min(...times)).toBeGreaterThan(NOON + 3 * MINUTE_MS);
    expect(rows()).toHaveLength(1);
  });
});
