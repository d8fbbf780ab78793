import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRecord } from '../../../shared/api/schema/schema.ts';
import { EVENT_REASONS, type EventReason } from '../../../shared/kubernetes/events/event-reasons.ts';
import { type ApiDouble, startApiDouble } from '../../kubernetes/support/api-double.ts';
import { aLiveNamespace, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { deployFunction } from './deployed-events.ts';
import { STORIES } from './stories.ts';

const isReason = (name: string): name is EventReason => name in EVENT_REASONS;
const REASONS = Object.keys(EVENT_REASONS).filter(isReason);

describe('an Event that the deployed functions write', () => {
  let double: ApiDouble;
  beforeEach(async () => {
    double = await startApiDouble();
    double.put(COLLECTIONS.namespaces, aLiveNamespace());
  });
  afterEach(() => double.close());

  it.each(REASONS)('is in the API server, on an object that exists: %s', async (reason) => {
    const { hint, begin, run } = STORIES[reason];
    const { world, ports: replaced = {} } = await begin();
    const dropped: string[] = [];
    const onDropped = (one: string): void => void dropped.push(one);
    const deployed = deployFunction(double, world, hint.topic, { replaced, onDropped });

    await (run ? run(deployed, world) : deployed.handle(hint));

    const written = double.table.list(COLLECTIONS.events).filter((event) => event.reason === reason);
    const kinds: readonly string[] = EVENT_REASONS[reason].on;
    expect(written).not.toEqual([]);
    for (const { regarding } of written) {
      expect(kinds).toContain(isRecord(regarding) ? regarding.kind : undefined);
      expect(regarding).toHaveProperty('uid');
    }
    expect(dropped).toEqual([]);
  });
});
