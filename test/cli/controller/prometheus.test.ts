import { describe, expect, it } from 'vitest';
import { createPrometheus } from '../../../cli/controller/prometheus.ts';
import { METRICS } from '../../../shared/model/metrics/metrics.ts';
import { telemetryContract } from '../../contracts/telemetry-contract.ts';

/** The sum over all series of a metric on the page. */
const totalOn = (page: string, name: string): number =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);

telemetryContract('Prometheus', async () => {
  const { telemetry, page } = createPrometheus();
  return {
    telemetry,
    async total(name) {
      const text = await page();
      const isHistogram = text.includes(`# TYPE ${name} histogram`);
      return totalOn(text, isHistogram ? `${name}_sum` : name);
    },
  };
});

describe('the page for Prometheus', () => {
  it('contains every metric of the table with its kind and help text', async () => {
    const page = await createPrometheus().page();

    for (const [name, { kind, help }] of Object.entries(METRICS)) {
      expect(page).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`);
    }
  });

  it("has the quantiles that Karpenter's performance dashboard selects", async () => {
    const { telemetry, page } = createPrometheus();
    for (let seconds = 1; seconds <= 100; seconds += 1) {
      telemetry.observe('karpenter_pods_startup_duration_seconds', {}, seconds);
    }
    const text = await page();
    const quantile = (at: string): number => totalOn(text, `karpenter_pods_startup_duration_seconds{quantile="${at}"}`);

    expect(['0', '0.5', '0.9', '0.99', '1'].map(quantile)).toEqual([1, 50.5, 90.5, 99.5, 100]);
    expect(totalOn(text, 'karpenter_pods_startup_duration_seconds_count')).toBe(100);
  });

  it('escapes the values of labels', async () => {
    const { telemetry, page } = createPrometheus();
    const nodepool = 'a"b\\c\nd';

    telemetry.gauge('karpenter_nodepools_cost_total', [{ labels: { nodepool }, value: 0.5 }]);

    expect(await page()).toContain('karpenter_nodepools_cost_total{nodepool="a\\"b\\\\c\\nd"} 0.5\n');
  });

  it('contains each series of a gauge once, with its last value', async () => {
    const { telemetry, page } = createPrometheus();
    const labels = { nodepool: 'general' };

    telemetry.gauge('karpenter_nodepools_cost_total', [
      { labels, value: 1 },
      { labels, value: 2 },
    ]);

    const lines = (await page()).split('\n');
    expect(lines.filter((line) => line.startsWith('karpenter_nodepools_cost_total{'))).toEqual([
      'karpenter_nodepools_cost_total{nodepool="general"} 2',
    ]);
  });

  it('contains no gauge of before, once they are cleared, and keeps counters', async () => {
    const { telemetry, page, clearGauges } = createPrometheus();
    telemetry.gauge('karpenter_scheduler_queue_depth', [{ labels: {}, value: 3 }]);
    telemetry.count('mortise_launches_capped_total', { cap: 'maxNodes' });

    clearGauges();

    const text = await page();
    expect(text).not.toMatch(/^karpenter_scheduler_queue_depth/m);
    expect(text).toContain('mortise_launches_capped_total{cap="maxNodes"} 1\n');
  });

  it('has no value of a gauge that was never set', async () => {
    const page = await createPrometheus().page();

    expect(page).not.toMatch(/^karpenter_cluster_state_synced/m);
  });
});
