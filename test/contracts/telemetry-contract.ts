import { describe, expect, it } from 'vitest';
import type { Clock, Telemetry } from '../../shared/ports/ports.ts';

interface TelemetryUnderTest {
  readonly telemetry: Telemetry;
  /** Reads a series of the whole cluster; `undefined` if there is no such series. */
  total(name: string): Promise<number | undefined>;
}

const POOLS = ['general', 'batch'] as const;

/** The contract of every Telemetry. */
export function telemetryContract(adapter: string, create: () => Promise<TelemetryUnderTest>): void {
  describe(`Telemetry: ${adapter}`, () => {
    it('adds up counters', async () => {
      const { telemetry, total } = await create();
      const name = 'karpenter_pods_drained_total';

      telemetry.count(name, { reason: 'evicted' });
      telemetry.count(name, { reason: 'deleted' }, 3);

      expect(await total(name)).toBe(4);
    });

    it('keeps the last samples of a gauge, and drops series that were not repeated', async () => {
      const { telemetry, total } = await create();
      const name = 'karpenter_nodepools_cost_total';

      telemetry.gauge(
        name,
        POOLS.map((nodepool) => ({ labels: { nodepool }, value: 5 })),
      );
      telemetry.gauge(name, [{ labels: { nodepool: 'general' }, value: 2 }]);

      expect(await total(name)).toBe(2);
    });

    it('keeps every value of a distribution', async () => {
      const { telemetry, total } = await create();
      const name = 'karpenter_scheduler_scheduling_duration_seconds';

      telemetry.observe(name, {}, 0.5);
      telemetry.observe(name, {}, 0.25);

      expect(await total(name)).toBe(0.75);
    });

    it('returns nothing for metrics that were not recorded', async () => {
      const { total } = await create();

      expect((await total('karpenter_cluster_state_node_count')) ?? 0).toBe(0);
    });
  });
}

/**
 * The contract of every Clock.
 *
 * @param pass - lets some time go by
 */
export function clockContract(
  adapter: string,
  create: () => Promise<{ readonly clock: Clock; pass(): Promise<void> }>,
): void {
  describe(`Clock: ${adapter}`, () => {
    it('returns whole milliseconds, and never an earlier time than before', async () => {
      const { clock, pass } = await create();
      const before = clock.now();

      await pass();

      expect(Number.isInteger(before)).toBe(true);
      expect(clock.now()).toBeGreaterThanOrEqual(before);
    });
  });
}
