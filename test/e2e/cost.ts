import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { type Cost, type MeasuredUsage, monthlyCost, type ScenarioUsage, SIZES } from './cost-model.ts';

/** `npm run e2e -- cost FILE`: prints the results of `npm run e2e` as the table of docs/cost.md. */
const usedSchema = z.object({
  invocations: z.number(),
  gbSeconds: z.number(),
  sqsRequests: z.number(),
  dynamodbRequests: z.number(),
});
const reportSchema = z.object({
  scenarios: z.array(z.object({ name: z.string(), seconds: z.number(), usage: usedSchema })),
});

/** The scenario `a single pod waits` creates these pods, each on a node of its own. */
const SINGLE_PODS = 11;
/**
 * An idle sweep reads a view that grows with the cluster; these factors were measured up to 1,000
 * nodes. The last one assumes that the time grows with the nodes.
 */
const GROWTH = [1, 1.2, 2, 10];

const [file = ''] = process.argv.slice(2);
const { scenarios } = reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
process.stdout.write(`${table(measuredIn(scenarios))}\n`);

function measuredIn(all: typeof scenarios): MeasuredUsage {
  const named = (name: string): (typeof scenarios)[number] => {
    const report = all.find((scenario) => scenario.name === name);
    if (!report) throw new Error(`${file} has no scenario "${name}"`);
    return report;
  };
  const quiet = named('nothing happens');
  const idleMinute = each(quiet.usage, (used) => used / (quiet.seconds / 60));
  const busy = named('a single pod waits');
  const node = each(busy.usage, (used, part) =>
    Math.max((used - (idleMinute[part] * busy.seconds) / 60) / SINGLE_PODS, 0),
  );
  return { idleMinute, node };
}

function each(used: ScenarioUsage, change: (used: number, part: keyof ScenarioUsage) => number): ScenarioUsage {
  return {
    invocations: change(used.invocations, 'invocations'),
    gbSeconds: change(used.gbSeconds, 'gbSeconds'),
    sqsRequests: change(used.sqsRequests, 'sqsRequests'),
    dynamodbRequests: change(used.dynamodbRequests, 'dynamodbRequests'),
  };
}

function table(measured: MeasuredUsage): string {
  const costs = SIZES.map((size, index) => monthlyCost(measured, size, GROWTH[index] ?? 1));
  const row = (title: string, pick: (cost: Cost) => number): string =>
    `| ${[title, ...costs.map((cost) => `$${pick(cost).toFixed(2)}`)].join(' | ')} |`;
  return [
    `Measured: ${JSON.stringify(measured)}`,
    '',
    `| A month | ${SIZES.map(({ nodes }) => `${nodes.toLocaleString('en')} nodes`).join(' | ')} |`,
    `| --- |${SIZES.map(() => ' --- |').join('')}`,
    row('Lambda', ({ lambda }) => lambda),
    row('SQS', ({ sqs }) => sqs),
    row('DynamoDB', ({ dynamodb }) => dynamodb),
    row('Logs', ({ logs }) => logs),
    row('Metrics read, secret, schedules', ({ others }) => others),
    row('**`monitoring=none`**', ({ control }) => control),
    row('Alarms', ({ alarms }) => alarms),
    row('**`monitoring=alarms`, the default**', ({ control, alarms }) => control + alarms),
    row('Metrics, dashboard', ({ metrics }) => metrics),
    row('**`monitoring=all`**', ({ control, alarms, metrics }) => control + alarms + metrics),
  ].join('\n');
}
