import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STACK_OPTIONS } from '../../infra/options/stack-options.ts';
import { ALARMS, costMonitoring, METRICS_OF_ALARMS, SIZES } from '../e2e/cost-model.ts';

const read = (file: string): string => readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ');
const page = readFileSync('docs/cost.md', 'utf8');

/** The dollars of a row of the first table, in the order of `SIZES`. */
function row(title: string): readonly number[] {
  const line = page.split('\n').find((one) => one.startsWith(`| ${title} |`)) ?? '';
  const amounts = [...line.matchAll(/\$([\d.]+)/g)].map(([, amount]) => Number(amount));
  expect(amounts).toHaveLength(SIZES.length);
  return amounts;
}

const none = row('**`monitoring=none`**');
const byDefault = row('**`monitoring=alarms`, the default**');
const all = row('**`monitoring=all`**');
const dollars = (amounts: readonly number[], size: number): string => `$${Math.round(amounts[size] ?? 0)}`;
const [TEN, HUNDRED, THOUSAND] = [0, 1, 2];

describe('the table of costs', () => {
  it('adds up', () => {
    const parts = ['Lambda', 'SQS', 'DynamoDB', 'Logs', 'Metrics read, secret, schedules'].map(row);
    SIZES.forEach((_, size) => {
      const control = parts.reduce((sum, part) => sum + (part[size] ?? 0), 0);
      expect(none[size]).toBeCloseTo(control, 1);
      expect(byDefault[size]).toBeCloseTo((none[size] ?? 0) + (row('Alarms')[size] ?? 0), 1);
      const metrics = row('Metrics, dashboard')[size] ?? 0;
      expect(all[size]).toBeCloseTo((byDefault[size] ?? 0) + metrics, 1);
    });
  });

  it('has the alarms and the metrics of the model', () => {
    const monitoring = SIZES.map(costMonitoring);
    expect(row('Alarms')).toEqual(monitoring.map(({ alarms }) => Number(alarms.toFixed(2))));
    expect(row('Metrics, dashboard')).toEqual(monitoring.map(({ metrics }) => Number(metrics.toFixed(2))));
    expect(read('docs/cost.md')).toContain(`The alarms are ${ALARMS}, over ${METRICS_OF_ALARMS} metrics`);
  });

  it('keeps the alarms at six dollars', () => {
    expect(Math.max(...row('Alarms'))).toBeLessThanOrEqual(6);
  });
});

describe('the costs on other pages', () => {
  it.each([
    [
      'README.md',
      `costs ${dollars(byDefault, HUNDRED)} a month with its alarms, the default; ${dollars(none, HUNDRED)} without them, ${dollars(all, HUNDRED)} with all metrics`,
    ],
    [
      'docs/faq.md',
      `About ${dollars(byDefault, TEN)} a month for ten nodes and ${dollars(byDefault, THOUSAND)} for a thousand, ${dollars(row('Alarms'), TEN)} of it for alarms.`,
    ],
    ['docs/faq.md', `(\`monitoring=all\`), ${dollars(all, TEN)} and ${dollars(all, THOUSAND)}:`],
    ['docs/guides/getting-started.md', `${dollars(byDefault, TEN)} a month, ${dollars(none, TEN)} without alarms`],
  ])('are those of the table: %s', (file, sentence) => {
    expect(read(file)).toContain(sentence);
  });
});

describe('the endpoints of private clusters', () => {
  const guide = readFileSync('docs/guides/private-clusters.md', 'utf8');
  /** Interface endpoints of the functions, without the one that an option asks for. */
  const endpoints = guide.split('\n').flatMap((line) => {
    const [, names = '', forFunctions = ''] = line.split('|').map((cell) => cell.trim());
    if (!/^`/.test(names) || names.includes('with `')) return [];
    const own = forFunctions === 'yes' ? names : forFunctions;
    return [...own.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
  });
  const HOURS = 730;
  const priceOf = (count: number): string => `$${Math.round(count * 2 * 0.01 * HOURS)}`;

  it('are those of the services that the option functionSubnets names; IAM has none', () => {
    const services = {
      ...{ EC2: 'ec2', SQS: 'sqs', SSM: 'ssm', EKS: 'eks', Lambda: 'lambda' },
      ...{ 'Secrets Manager': 'secretsmanager', CloudWatch: 'monitoring' },
    };
    const { meaning } = STACK_OPTIONS.functionSubnets;
    expect(Object.keys(services).filter((name) => !meaning.includes(name))).toEqual([]);
    expect(endpoints.toSorted()).toEqual(Object.values(services).toSorted());
  });

  it.each(['docs/cost.md', 'docs/guides/private-clusters.md'])('have their price in %s', (file) => {
    const ofNodes = endpoints.filter((name) => ['ec2', 'eks'].includes(name));
    expect(read(file)).toContain(priceOf(endpoints.length));
    expect(read(file)).toContain(priceOf(endpoints.length - ofNodes.length));
  });
});
