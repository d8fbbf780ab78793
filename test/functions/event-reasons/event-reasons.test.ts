import { describe, expect, it } from 'vitest';
import { EVENT_REASONS, type EventReason } from '../../../shared/model/explanations/event-reasons.ts';
import { valueAt } from '../../e2e/lab/json.ts';
import { startApiDouble } from '../../kubernetes/support/api-double.ts';
import { aLiveNamespace, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import { deployFunction } from './deployed-events.ts';
import { STORIES, type Story } from './stories.ts';

const isReason = (name: string): name is EventReason => name in EVENT_REASONS;
const REASONS = Object.keys(EVENT_REASONS).filter(isReason);

describe('an Event that the deployed functions write', () => {
  /** Runs a story. @returns the kinds of the objects that have the Event */
  async function tell(reason: EventReason, { hint, begin, run }: Story): Promise<readonly unknown[]> {
    const double = await startApiDouble();
    double.put(COLLECTIONS.namespaces, aLiveNamespace());
    const { world, ports: replaced = {} } = await begin();
    const dropped: string[] = [];
    const onDropped = (one: string): void => void dropped.push(one);
    const deployed = deployFunction(double, world, hint.topic, { replaced, onDropped });

    await (run ? run(deployed, world) : deployed.handle(hint));
    await double.close();

    const written = double.table.list(COLLECTIONS.events).filter((event) => event.reason === reason);
    expect(written).not.toEqual([]);
    expect(dropped).toEqual([]);
    return written.map(({ regarding }) => valueAt(regarding, 'kind'));
  }

  it.each(REASONS)('is in the API server, on each kind of object that the page names: %s', async (reason) => {
    const kinds: unknown[] = [];
    for (const story of [STORIES[reason]].flat()) kinds.push(...(await tell(reason, story)));

    expect(new Set(kinds)).toEqual(new Set(EVENT_REASONS[reason].on));
  });
});
