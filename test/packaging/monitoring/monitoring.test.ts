import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createPrometheus } from '../../../cli/controller/prometheus.ts';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { instrumentPorts } from '../../../shared/controllers/metrics/instrument-ports.ts';
import { createObjectMetrics } from '../../../shared/controllers/metrics/objects/object-metrics.ts';
import type { Metric } from '../../../shared/model/metrics/metric.ts';
import { METRICS } from '../../../shared/model/metrics/metrics.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aWorld, runFor } from '../../simulation/support.ts';
import { aDeployment, aNodePool } from '../../support/builders.ts';
import { alerts, dashboards, expressions } from './files.ts';
import { readExpression } from './promql.ts';

/** Labels that Prometheus adds to each series of a scrape. */
const SCRAPE_LABELS = ['job', 'instance', 'namespace', 'pod'];
const HISTOGRAM_SERIES = ['_bucket', '_sum', '_count'];

const definitions: Readonly<Record<string, Metric>> = METRICS;

/** The series names of the metrics table, with the labels of each. */
const labelsBySeries = new Map(
  Object.entries(definitions).flatMap(([name, { kind, labels }]) =>
    kind === 'histogram'
      ? HISTOGRAM_SERIES.map((end): [string, readonly string[]] => [
          `${name}${end}`,
          end === '_bucket' ? [...labels, 'le'] : labels,
        ])
      : [[name, labels] as [string, readonly string[]]],
  ),
);

const readText = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

const listAnchors = (page: string): readonly string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

/** The page that `mortise controller` would serve after ten minutes in a simulated cluster. */
async function simulatePage(): Promise<string> {
  const { telemetry, page } = createPrometheus();
  const world = aWorld({
    pools: [aNodePool({ limits: { cpu: 1_000_000 } })],
    workloads: [aDeployment({ replicas: 3 })],
  });
  const objects = createObjectMetrics(telemetry, world.ports.clock);
  const ports = objects.instrument(instrumentPorts(world.ports, telemetry));
  world.consume((hint) => dispatch(ports, hint));
  await runFor(world, 10 * MINUTE_MS);
  objects.gauge();
  return page();
}

describe('the expressions of alerts and dashboards', () => {
  it('are refused if they are not PromQL', () => {
    expect(() => readExpression('sum by (le) (rate(foo[5m])')).toThrow(SyntaxError);
    expect(readExpression('sum by (a) (foo{b="c"}) / on (d) bar')).toEqual({
      metrics: ['foo', 'bar'],
      labels: ['a', 'b', 'd'],
    });
  });

  it.each(expressions)('read metrics and labels that exist: $where', ({ expr }) => {
    const { metrics, labels } = readExpression(expr);

    expect(metrics).not.toEqual([]);
    expect(metrics.filter((name) => !labelsBySeries.has(name))).toEqual([]);
    const existing = new Set([...SCRAPE_LABELS, ...metrics.flatMap((name) => labelsBySeries.get(name) ?? [])]);
    expect(labels.filter((label) => !existing.has(label))).toEqual([]);
  });

  it('read only metrics that the endpoint of a simulated cluster serves, with these labels', async () => {
    const page = await simulatePage();
    const wrong = expressions.flatMap(({ where, expr }) =>
      readExpression(expr).metrics.flatMap((series) => {
        const family = series.replace(/_(bucket|sum|count)$/, '');
        const isServed = [series, family].some((name) => page.includes(`# TYPE ${name} `));
        const served = new RegExp(`^${series}\\{(.*)\\} `, 'm').exec(page)?.[1] ?? '';
        const expected = new Set(labelsBySeries.get(series));
        const unknown = [...served.matchAll(/(\w+)="/g)]
          .map(([, label = '']) => label)
          .filter((label) => !expected.has(label));
        return isServed && unknown.length === 0 ? [] : [`${where}: ${series} ${unknown}`];
      }),
    );

    expect(wrong).toEqual([]);
    expect(page).toMatch(/^karpenter_nodepools_cost_total\{nodepool="general"\} 0\.\d+$/m);
    expect(page).toMatch(/^karpenter_nodepools_limit\{nodepool="general",resource_type="cpu"\} /m);
  });
});

describe('the alerts', () => {
  it.each(alerts)('name labels that their expression keeps: $alert', ({ expr, annotations }) => {
    const named = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, name]) => name);

    const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */) ?? [];
    expect(named.filter((name) => !kept.includes(name ?? ''))).toEqual([]);
  });

  it.each(alerts)('link to a heading that exists: $alert', ({ annotations }) => {
    const [path = '', anchor = ''] = annotations.runbook_url.split('#');

    expect(path).toMatch(/^docs\/\w+\.md$/);
    expect(listAnchors(readText(path))).toContain(anchor);
  });

  it('have one name each, and all are in docs/operations.md', () => {
    const names = alerts.map(({ alert }) => alert);

    expect(new Set(names).size).toBe(names.length);
    const page = readText('docs/operations.md');
    expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });
});

describe('the dashboards', () => {
  it.each(dashboards)('let the user choose data source and job: $uid', ({ name, uid, ...more }) => {
    expect(name).toBe(`${uid}.json`);
    expect(more.templating.list.map(({ name: variable }) => variable)).toEqual(['datasource', 'job']);
    const exprs = more.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(exprs.filter((expr) => !expr.includes('job=~"$job"'))).toEqual([]);
  });

  it.each(dashboards)('have panels that do not overlap, with names of their own: $uid', ({ panels }) => {
    const titles = panels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it.each(dashboards)('name series by labels that their query keeps: $uid', ({ panels }) => {
    const wrong = panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr, legendFormat }) =>
        [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)]
          .filter(([, label = '']) => !new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr))
          .map(([text]) => `${title}: ${text}`),
      ),
    );

    expect(wrong).toEqual([]);
  });
});
