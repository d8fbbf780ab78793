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
});
