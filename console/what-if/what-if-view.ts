import type { ExplainedFix } from '../../shared/explain/explanation.ts';
import { formatFix } from '../../shared/model/explanations/plan-text.ts';
import { formatReason, type ReasonCode } from '../../shared/model/explanations/reasons.ts';
import type { RemovalReason } from '../../shared/model/nodes/node-claim.ts';
import type { NodeVerdict, Unplaced } from '../../shared/model/plans.ts';
import { type EpochMs, formatInstant, HOURS_PER_MONTH, MINUTE_MS } from '../../shared/model/time.ts';
import type { ClusterSummary, GoneNode, NewNodes, WhatIfOutcome } from '../../shared/what-if/what-if.ts';
import { formatCount, formatDuration, formatMonthlyUsd, formatNodeUsd, formatUsd, plural } from '../format.ts';
import type { WhatIfPart, WhatIfRequest, WhatIfRow, WhatIfView } from '../screen-views.ts';
import { reasonSentence } from '../views/facts.ts';

interface Circumstances {
  readonly at: EpochMs;
  /** True if NodePools were assumed, because the cluster has none. */
  readonly isAssumed: boolean;
  /** The proposed change that is tried; undefined for none. */
  readonly fix: ExplainedFix | undefined;
}

export function whatIfView(
  outcome: WhatIfOutcome,
  request: WhatIfRequest,
  { at, isAssumed, fix }: Circumstances,
): WhatIfView {
  const view = {
    at,
    summary: summarize(outcome),
    rows: compareSummaries(outcome),
    parts: [
      { title: 'Nodes launched', lines: outcome.launched.map(newNodesLine) },
      { title: 'Nodes gone', lines: outcome.gone.map(goneLine) },
      { title: 'Pods left pending', lines: outcome.unplaced.map(unplacedLine) },
      { title: 'Blocked', lines: blockerLines(outcome.verdicts) },
      { title: 'Pods moved', lines: outcome.moved },
    ].filter(({ lines }) => lines.length > 0),
    notes: listNotes(outcome, isAssumed),
  };
  return { outcome: 'planned', ...view, markdown: toMarkdown({ ...view, fix }, request) };
}

function summarize({ unchanged, changed, moved, stranded }: WhatIfOutcome): string {
  const more = changed.hourlyUsd - unchanged.hourlyUsd;
  const amount = formatUsd(Math.abs(more));
  const perMonth = `${formatMonthlyUsd(Math.abs(more) * HOURS_PER_MONTH)} a month`;
  const cost =
    Math.abs(more) < SMALLEST_USD
      ? 'The cost stays the same'
      : `It costs ${amount} an hour (${perMonth}) ${more > 0 ? 'more' : 'less'}`;
  const nodes =
    changed.nodes === unchanged.nodes
      ? plural(changed.nodes, 'node')
      : `${plural(changed.nodes, 'node')} instead of ${formatCount(unchanged.nodes)}`;
  const moves = moved.length === 0 ? 'No pod moves' : `${plural(moved.length, 'pod')} moved`;
  return `${cost}: ${nodes}. ${moves}; ${describePending(changed.pendingPods, stranded)}.`;
}

function describePending(pending: number, stranded: number): string {
  if (pending === 0) return 'all pods run';
  const ran = stranded === 0 ? '' : `, ${formatCount(stranded)} of which run now`;
  return `${plural(pending, 'pod')} left pending${ran}`;
}

const SMALLEST_USD = 0.005;

function compareSummaries({ now, unchanged, changed, duration }: WhatIfOutcome): readonly WhatIfRow[] {
  const row = (label: string, format: (summary: ClusterSummary) => string): WhatIfRow => ({
    label,
    now: format(now),
    unchanged: format(unchanged),
    changed: format(changed),
  });
  return [
    row('Nodes', ({ nodes }) => formatCount(nodes)),
    row('Cost per hour', ({ hourlyUsd }) => formatUsd(hourlyUsd)),
    row('Cost per month', ({ hourlyUsd }) => formatMonthlyUsd(hourlyUsd * HOURS_PER_MONTH)),
    row('Pods running', ({ runningPods }) => formatCount(runningPods)),
    row('Pods pending', ({ pendingPods }) => formatCount(pendingPods)),
    {
      label: 'Time until done, at most',
      now: '–',
      unchanged: formatEstimate(duration.unchangedMs),
      changed: formatEstimate(duration.changedMs),
    },
  ];
}

const formatEstimate = (ms: number): string =>
  ms === 0 ? 'no further step' : `about ${formatDuration(Math.ceil(ms / MINUTE_MS) * MINUTE_MS)}`;

const newNodesLine = ({ count, instanceType, capacityType, zone, pool, hourlyUsd }: NewNodes) =>
  `${formatCount(count)} × ${instanceType} ${capacityType} in ${zone}, NodePool ${pool}, ${formatNodeUsd(hourlyUsd)}/h each`;

const goneLine = ({ name, instanceType, zone, reason }: GoneNode): string =>
  `${name}, ${instanceType} in ${zone}: ${CAUSES[reason ?? 'change'] ?? 'leaves already'}`;

const CAUSES: Readonly<Partial<Record<RemovalReason | 'change', string>>> = {
  change: 'taken away by the change',
  Underutilized: 'consolidated',
  Empty: 'empty',
  Drifted: 'drifted',
  Expired: 'expired',
  Unhealthy: 'unhealthy',
};

function unplacedLine({ pods, pools, fix }: Unplaced): string {
  const [first = ''] = pods;
  const others = pods.length === 1 ? '' : ` and ${formatCount(pods.length - 1)} more`;
  const why = pools.map(({ pool, reasons }) => `NodePool ${pool}: ${reasons.map(reasonSentence).join(', ')}`);
  const help = fix ? `. Would help: ${formatFix(fix)}` : '';
  return `${first}${others}: ${why.join('; ') || 'no NodePool may launch a node'}${help}`;
}

/** Reasons that the user can remove; all others are what the planner finds best. */
const BLOCKERS: ReadonlySet<ReasonCode> = new Set([
  'blocked-by-pdb',
  'blocked-by-do-not-disrupt',
  'budget-exhausted',
  'budget-closed',
  'budget-unreadable',
  'drift-backoff',
  'static-at-limit',
  'static-without-replacement',
  'rollout-stopped',
  'state-incomplete',
]);

function blockerLines(verdicts: readonly NodeVerdict[]): readonly string[] {
  const blocked = verdicts.filter(({ reason }) => BLOCKERS.has(reason.code));
  const byText = Map.groupBy(blocked, ({ reason }) => formatReason(reason));
  return [...byText].map(([text, equal]) => {
    const [first] = equal;
    const where = equal.length === 1 ? `${first?.claim}` : plural(equal.length, 'node');
    return `${where}: ${text}`;
  });
}

const listNotes = ({ isComplete, duration }: WhatIfOutcome, isAssumed: boolean): readonly string[] => [
  'Instances only: volumes, addresses and the control plane are not in the cost.',
  `The time assumes that a node is ready ${formatDuration(duration.startMs)} after its launch, that pods leave within 30 s, and that each step waits for the one before. consolidateAfter and closed budgets add to it.`,
  ...(isAssumed ? ['This cluster has no NodePools: planned as if Mortise scaled its node groups.'] : []),
  ...(isComplete ? [] : ['Planning was cut short: the planner would go on from here, so these numbers may improve.']),
];

interface PlannedChange {
  readonly at: number;
  readonly summary: string;
  readonly rows: readonly WhatIfRow[];
  readonly parts: readonly WhatIfPart[];
  readonly notes: readonly string[];
  /** The proposed change that is tried; undefined for none. */
  readonly fix: { readonly text: string } | undefined;
}

/** Longer lists are cut: the text is for a pull request or a chat. */
const MAX_LINES = 20;

function toMarkdown({ at, summary, rows, parts, notes, fix }: PlannedChange, request: WhatIfRequest): string {
  const blocks = [
    `### What if: ${describeRequest(request, fix)}`,
    summary,
    [
      '| | Now | Later, unchanged | Later, changed |',
      '| --- | ---: | ---: | ---: |',
      ...rows.map((row) => `| ${row.label} | ${row.now} | ${row.unchanged} | ${row.changed} |`),
    ].join('\n'),
    ...parts.map(({ title, lines }) => `**${title}**\n\n${toList(lines)}`),
    ...(request.yaml === undefined ? [] : [`\`\`\`yaml\n${request.yaml.trim()}\n\`\`\``]),
    `Snapshot of ${formatInstant(at)}. ${notes.join(' ')}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function toList(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_LINES).map((line) => `- ${line}`);
  const rest = lines.length - shown.length;
  return [...shown, ...(rest > 0 ? [`- ${rest} more`] : [])].join('\n');
}

/** `shop/web has 40 pods, us-east-1a is lost`. */
function describeRequest(
  { scale, lostZone, losesSpot, spotPriceFactor, yaml }: WhatIfRequest,
  fix: PlannedChange['fix'],
): string {
  const parts = [
    ...(fix ? [fix.text] : []),
    ...(scale ? [`${scale.namespace}/${scale.name} has ${scale.replicas} pods`] : []),
    ...(lostZone === undefined ? [] : [`${lostZone} is lost`]),
    ...(losesSpot ? ['EC2 takes back all spot nodes'] : []),
    ...(spotPriceFactor === undefined ? [] : [`spot prices times ${spotPriceFactor}`]),
    ...(yaml === undefined ? [] : ['manifests are applied']),
  ];
  return parts.length === 0 ? 'nothing changes' : parts.join(', ');
}
