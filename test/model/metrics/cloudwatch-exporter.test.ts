import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import type { Metric } from '../../../shared/model/metrics/metric.ts';
import { METRICS } from '../../../shared/model/metrics/metrics.ts';

/** The metrics that the stack publishes to CloudWatch. */
const published = Object.entries<Metric>(METRICS).filter(([, { cloudWatch }]) => cloudWatch !== 'none');

/** The statistics of CloudWatch, and the ending of the metric in Prometheus that each one becomes. */
const STATISTICS: Readonly<Record<Metric['kind'], readonly (readonly [statistic: string, ending: string])[]>> = {
  counter: [['Sum', '']],
  gauge: [['Maximum', '']],
  histogram: [
    ['Sum', '_sum'],
    ['SampleCount', '_count'],
  ],
  summary: [
    ['Sum', '_sum'],
    ['SampleCount', '_count'],
  ],
};

const NOTE = `# Written from shared/model/metrics/metrics.ts: \`npx vitest run test/model/metrics -u\`.
# See docs/operations.md, Prometheus and Grafana.
`;

const toJob = (cloudWatch: Metric['cloudWatch'], name: string, dimensions: readonly string[]) => ({
  name,
  namespace: 'Mortise',
  regions: ['us-east-1'],
  // YACE refuses a job without roles; an empty one is its own.
  roles: [{}],
  dimensionNameRequirements: ['service', 'cluster', ...dimensions],
  period: 60,
  length: 300,
  metrics: published
    .filter(([, metric]) => metric.cloudWatch === cloudWatch)
    .map(([metric, { kind }]) => ({ name: metric, statistics: STATISTICS[kind].map(([statistic]) => statistic) })),
});

const exporter = `${NOTE}${stringify({
  apiVersion: 'v1alpha1',
  customNamespace: [toJob('one', 'mortise', []), toJob('per-pool', 'mortise-nodepools', ['nodepool'])],
})}`;

const snakeCase = (statistic: string): string =>
  statistic.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** One rule for each statistic and ending; YACE leaves the namespace out of names that begin with it. */
const relabelings = Object.entries(STATISTICS).flatMap(([kind, endings]) => {
  const names = published.flatMap(([name, metric]) => (metric.kind === kind ? [name] : []));
  if (names.length === 0) return [];
  return endings.map(([statistic, ending]) => ({
    source_labels: ['__name__'],
    regex: `aws_(?:mortise_)?(${names.join('|')})_${snakeCase(statistic)}`,
    target_label: '__name__',
    replacement: `\${1}${ending}`,
  }));
});

const scrape = `${NOTE}${stringify(
  {
    scrape_configs: [
      {
        job_name: 'karpenter',
        scrape_interval: '60s',
        static_configs: [{ targets: ['yace:5000'] }],
        metric_relabel_configs: [
          ...relabelings,
          { action: 'labelmap', regex: 'dimension_(cluster|nodepool)' },
          { action: 'labeldrop', regex: 'dimension_.*|name' },
        ],
      },
    ],
  },
  { lineWidth: 0 },
)}`;

/** The name that YACE gives to a statistic. */
const toExported = (name: string, statistic: string): string =>
  `aws_${name.startsWith('mortise_') ? '' : 'mortise_'}${name}_${snakeCase(statistic)}`;

const rulesSchema = z.object({
  scrape_configs: z.tuple([
    z.object({
      metric_relabel_configs: z.array(z.object({ regex: z.string(), replacement: z.string().optional() })),
    }),
  ]),
});

/** Applies the rules of the file as Prometheus does: a regular expression matches the whole name. */
function relabel(name: string): string {
  const [{ metric_relabel_configs: rules }] = rulesSchema.parse(parse(scrape)).scrape_configs;
  return rules.reduce(
    (current, { regex, replacement }) =>
      replacement === undefined
        ? current
        : current.replace(new RegExp(`^(?:${regex})$`), replacement.replace(/[{}]/g, '')),
    name,
  );
}

describe('the exporter of the metrics in CloudWatch', () => {
  it('reads the metrics that the stack publishes', async () => {
    await expect(exporter).toMatchFileSnapshot('../../../docs/reference/cloudwatch-exporter/yace.yaml');
    await expect(scrape).toMatchFileSnapshot('../../../docs/reference/cloudwatch-exporter/prometheus.yaml');
  });

  it.each(published)('gives %s the name that a controller serves', (name, { kind }) => {
    const renamed = STATISTICS[kind].map(([statistic]) => relabel(toExported(name, statistic)));

    expect(renamed).toEqual(STATISTICS[kind].map(([, ending]) => `${name}${ending}`));
  });

  it('leaves other metrics of the exporter alone', () => {
    expect(relabel('aws_lambda_errors_sum')).toBe('aws_lambda_errors_sum');
  });
});
