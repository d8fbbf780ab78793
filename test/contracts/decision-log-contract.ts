import { describe, expect, it } from 'vitest';
import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import type { Decision, DecisionLog, ProvisioningInput } from '../../shared/ports/decision-log.ts';
import { aSnapshot, NOON } from '../support/builders.ts';

export interface DecisionLogUnderTest {
  readonly decisionLog: DecisionLog;
  /** Oldest first. */
  decisions(): Promise<readonly Pick<Decision, 'id' | 'plan'>[]>;
  /** Oldest first. */
  events(): Promise<readonly ClusterEvent[]>;
}

const NO_INPUT: ProvisioningInput = {
  kind: 'provisioning',
  snapshot: aSnapshot(),
  backoffs: { registration: [], launch: [], placement: [] },
  caps: { launchesPerMinute: 10, hourlyUsd: 10, use: { launches: 0, usd: 0, nodes: 0 } },
  anticipate: true,
};

const LATER_ID = 'p-20260101T120001Z-x8rm';

/** A decision that places a pod, with its input. */
export const aDecision = (id = 'p-20260101T120000Z-4k7q', at = NOON): Decision => ({
  id,
  at,
  kind: 'provisioning',
  plan: {
    claims: [],
    placements: [{ target: 'node-1', pods: ['default/web-1'] }],
    unplaced: [],
    hourlyUsd: 0,
  },
  input: NO_INPUT,
});

/**
 * The contract of every DecisionLog.
 *
 * @param create - an empty log for each test
 */
export function decisionLogContract(adapter: string, create: () => Promise<DecisionLogUnderTest>): void {
  describe(`DecisionLog: ${adapter}`, () => {
    it('returns events and decisions in the order in which they were written', async () => {
      const decision = aDecision();
      const { decisionLog, decisions, events } = await create();
      const ready: ClusterEvent = { kind: 'ready', at: NOON, claim: 'general-1', waitedMs: 48_000 };
      const you: ClusterEvent = {
        kind: 'you',
        by: 'you',
        at: NOON,
        text: 'You scaled default/web.',
      };

      await decisionLog.recordEvent(ready);
      await decisionLog.recordDecision(decision);
      await decisionLog.recordEvent(you);
      await decisionLog.recordDecision({ ...decision, id: LATER_ID });

      expect(await events()).toEqual([ready, you]);
      const { id, plan } = decision;
      const kept = (await decisions()).map((one) => ({ id: one.id, plan: one.plan }));
      expect(kept).toEqual([
        { id, plan },
        { id: LATER_ID, plan },
      ]);
    });
  });
}
