import { describe, expect, it } from 'vitest';
import type { Clock, Telemetry } from '../../shared/ports/ports.ts';

interface TelemetryUnderTest {
  readonly telemetry: Telemetry;
  /** What somebody who watches the cluster as a whole reads; absent: no such series. */
  total(name: string): Promise<number | undefined>;
}

const POOLS = ['general', 'batch'] as const;

/** What every home of metrics keeps. */
export function telemetryContract(
  adapter: string,
  create: () => Promise<TelemetryUnderTest>,
): void {
  describe(`Telemetry: ${adapter}`, () => {
    it('adds up what is counted', async () => {
      const { telemetry, total } = await create();
      const name = 'karpenter_pods_eviction_requests_total';

      telemetry.count(name, { code: '200' });
      telemetry.count(name, { code: '429' }, 3);

      expect(await total(name)).toBe(4);
    });

    it('keeps of a gauge what was said last, and no series that was not said again', async () => {
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

    it('says nothing of what nobody recorded', async () => {
      const { total } = await create();

      expect((await total('karpenter_cluster_state_node_count')) ?? 0).toBe(0);
    });
  });
}

/** What every clock keeps. @param pass - lets some time go by */
export function clockContract(
  adapter: string,
  create: () => Promise<{ readonly clock: Clock; pass(): Promise<void> }>,
): void {
  describe(`Clock: ${adapter}`, () => {
    it('tells whole milliseconds, and never an earlier time than before', async () => {
      const { clock, pass } = await create();
      const before = clock.now();

      await pass();

      expect(Number.isInteger(before)).toBe(true);
      expect(clock.now()).toBeGreaterThanOrEqual(before);
    });
  });
}
