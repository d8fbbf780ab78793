import { describe, expect, it } from 'vitest';
import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import type { Decision, DecisionLog } from '../../shared/ports/ports.ts';
import { NOON } from '../support/builders.ts';

export interface DecisionLogUnderTest {
  readonly decisionLog: DecisionLog;
  /** Oldest first. */
  decisions(): Promise<readonly Decision[]>;
  /** Oldest first. */
  events(): Promise<readonly ClusterEvent[]>;
}

const DECISION: Decision = {
  id: 'd-1',
  at: NOON,
  kind: 'provisioning',
  plan: { claims: [], placements: [], unplaced: [], hourlyUsd: 0 },
};

/**
 * The contract of every DecisionLog.
 *
 * @param create - an empty log for each test
 */
export function decisionLogContract(
  adapter: string,
  create: () => Promise<DecisionLogUnderTest>,
): void {
  describe(`DecisionLog: ${adapter}`, () => {
    it('returns events and decisions in the order in which they were written', async () => {
      const { decisionLog, decisions, events } = await create();
      const ready: ClusterEvent = { kind: 'ready', at: NOON, claim: 'general-1', waitedMs: 48_000 };
      const you: ClusterEvent = {
        kind: 'you',
        by: 'you',
        at: NOON,
        text: 'You scaled default/web.',
      };

      await decisionLog.recordEvent(ready);
      await decisionLog.recordDecision(DECISION);
      await decisionLog.recordEvent(you);
      await decisionLog.recordDecision({ ...DECISION, id: 'd-2' });

      expect(await events()).toEqual([ready, you]);
      expect(await decisions()).toEqual([DECISION, { ...DECISION, id: 'd-2' }]);
    });
  });
}
