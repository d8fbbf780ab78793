import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { PlanningState, PlanningStateStore } from '../../shared/ports/planning-state.ts';
import { NOON } from '../support/builders.ts';

export const aPlanningState = (over: Partial<PlanningState> = {}): PlanningState => ({
  attempt: { startedAt: NOON, suspects: { from: '0a', to: '0b' }, only: '0a' },
  suspects: [{ from: '0a', to: '0b' }, { from: 'f0' }],
  areOthersPlanned: true,
  confirming: '0a',
  setAside: [{ key: '77', failures: 2, until: NOON + 20 * MINUTE_MS }],
  ...over,
});

/**
 * The contract of every PlanningStateStore.
 *
 * @param create - an empty store for each test
 */
export function planningStateContract(adapter: string, create: () => Promise<PlanningStateStore>): void {
  describe(`PlanningStateStore: ${adapter}`, () => {
    it('returns what was saved last, with every field', async () => {
      const store = await create();
      const first: PlanningState = { suspects: [], areOthersPlanned: false, setAside: [] };

      expect(await store.find('disruption')).toBeUndefined();
      expect(await store.save('disruption', first, 0)).toBe(true);
      expect(await store.find('disruption')).toEqual({ state: first, version: 1 });
      expect(await store.save('disruption', aPlanningState(), 1)).toBe(true);
      expect(await store.find('disruption')).toEqual({ state: aPlanningState(), version: 2 });
    });

    it('returns a search that pauses, and an attempt without subjects', async () => {
      const store = await create();
      const state = aPlanningState({
        attempt: { startedAt: NOON, withoutSubjects: true, hasFailed: true },
        ...{ unfinished: 4, endsWithoutSubjects: true, pause: { failures: 2, until: NOON } },
        byPool: true,
      });
      await store.save('disruption', state, 0);

      expect(await store.find('disruption')).toEqual({ state, version: 1 });
    });

    it.each([
      ['a first state if there is one', 0],
      ['a change to a version that is still to come', 2],
    ])('refuses %s', async (_, expected) => {
      const store = await create();
      await store.save('disruption', aPlanningState(), 0);

      expect(await store.save('disruption', aPlanningState({ suspects: [] }), expected)).toBe(false);
      expect(await store.find('disruption')).toEqual({ state: aPlanningState(), version: 1 });
    });

    it('keeps the states of the planners apart', async () => {
      const store = await create();
      await store.save('provisioning', aPlanningState(), 0);

      expect(await store.find('disruption')).toBeUndefined();
      expect(await store.save('disruption', aPlanningState({ suspects: [] }), 0)).toBe(true);
      expect(await store.find('provisioning')).toEqual({ state: aPlanningState(), version: 1 });
    });

    it('accepts one of many planners that start at once', async () => {
      const store = await create();
      const saves = [1, 2, 3].map(() => store.save('disruption', aPlanningState(), 0));

      expect((await Promise.all(saves)).filter(Boolean)).toHaveLength(1);
    });
  });
}
