import { describe, expect, it } from 'vitest';
import type { Metric } from '../../../shared/model/metrics/metric.ts';
import { METRICS } from '../../../shared/model/metrics/metrics.ts';
import { ABSENT_LABELS, ABSENT_METRICS } from './absent-metrics.ts';

const entries: readonly (readonly [string, Metric])[] = Object.entries(METRICS);

const cloudWatchText: Readonly<Record<Metric['cloudWatch'], string>> = {
  one: 'one series',
  'per-pool': 'one for each NodePool',
  none: '–',
};

const row = ([name, { kind, unit, labels, cloudWatch, help }]: readonly [string, Metric]): string =>
  `| \`${name}\` | ${kind} | ${unit} | ${labels.join(', ') || '–'} | ${cloudWatchText[cloudWatch]} | ${help} |`;

const absentRow = ({ names, why }: (typeof ABSENT_METRICS)[number]): string =>
  `| ${names.map((name) => `\`${name}\``).join(', ')} | ${why} |`;

const page = `# Metrics

<!-- Written from shared/model/metrics/metrics.ts: \`npx vitest run test/model/metrics/metrics.test.ts -u\`. -->

Names, labels and meaning are Karpenter's, and controller-runtime's, where they have the figure;
\`mortise_\` marks our own. \`mortise controller\` serves all of them at \`/metrics\`, with those of its
process. A metric with the name of a pod or node in its labels has a series for each, which is gone
when the object is. Labels whose value is empty are left out by Prometheus.

The functions write those with a series in CloudWatch into their log, from where CloudWatch
takes them: namespace \`Mortise\`, dimensions \`service\` (always \`mortise\`), \`cluster\`, and
\`nodepool\` where there is one for each. CloudWatch bills every series, so other labels do not go there. An
[exporter](../operations.md#prometheus-and-grafana) brings them to Prometheus under the same names.

Alerts and dashboards for them are in [Prometheus and Grafana](../operations.md#prometheus-and-grafana).

Karpenter's Grafana dashboards can be imported as they are: *Karpenter Capacity* reads gauges of nodes, pods and
NodePools, which have Karpenter's names and labels. *Karpenter Performance* selects \`job="karpenter"\`, so give the
scrape this name (\`relabelings\` of the ServiceMonitor). Its quantiles come from summaries, which cover the last ten
minutes of one process; *Mortise / Operation* uses \`histogram_quantile\` over histograms.

| Name | Kind | Unit | Labels | In CloudWatch | What it says |
| --- | --- | --- | --- | --- | --- |
${entries.map(row).join('\n')}

## Metrics of Karpenter that are absent

| Names | Why, and what to use instead |
| --- | --- |
${ABSENT_METRICS.map(absentRow).join('\n')}

Labels that a metric has in Karpenter, and not here; as \`metric{label}\`. The gauges of nodes have other labels of the
node in Karpenter as well: join them with \`kube_node_labels\` of kube-state-metrics, by \`node_name\`.

| Labels | Why, and what to use instead |
| --- | --- |
${ABSENT_LABELS.map(absentRow).join('\n')}
`;

describe('the table of metrics', () => {
  it('is documented in docs/reference/metrics.md', async () => {
    await expect(page).toMatchFileSnapshot('../../../docs/reference/metrics.md');
  });

  it('lists no metric as absent that is served, and none twice', () => {
    const absent = ABSENT_METRICS.flatMap(({ names }) => names);
    const served = new Set(entries.map(([name]) => name));

    expect(absent.filter((name) => served.has(name))).toEqual([]);
    expect(new Set(absent).size).toBe(absent.length);
  });

  it('lists no label as absent that is served, and only labels of served metrics', () => {
    const served = new Map(entries.map(([name, { labels }]) => [name, labels]));
    const absent = ABSENT_LABELS.flatMap(({ names }) => names).map((name) => name.split(/[{}]/));

    expect(absent.filter(([metric = '']) => !served.has(metric))).toEqual([]);
    expect(absent.filter(([metric = '', label = '']) => served.get(metric)?.includes(label))).toEqual([]);
  });

  it('refers to metrics that are served instead', () => {
    const named = [...ABSENT_METRICS, ...ABSENT_LABELS].flatMap(
      ({ why }) => why.match(/`(?:karpenter|mortise|operator)_\w+`/g) ?? [],
    );
    const served = new Set(entries.map(([name]) => `\`${name}\``));

    expect(named.filter((name) => !served.has(name))).toEqual([]);
  });

  it.each(entries)('names %s by the conventions of Prometheus', (name, { kind, unit, labels, buckets, ...rest }) => {
    const { cloudWatch } = rest;
    expect(name).toMatch(/^(karpenter|mortise|operator|controller_runtime|workqueue|leader_election)_/);
    if (kind === 'counter') expect(name).toMatch(/_total$/);
    if (unit === 'seconds') expect(name).toMatch(/_seconds$/);
    expect(buckets !== undefined).toBe(kind === 'histogram');
    if (cloudWatch === 'per-pool') expect(labels).toContain('nodepool');
  });
});
