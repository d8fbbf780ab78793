import type { ReasonDocument, Simulation, UnplacedPod } from '../documents/simulation.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { changeText, counted, countText, durationText, shareText, usdText } from './numbers.ts';

const FIRST_WIDTH = 31;
const GAP = '   ';
const MAX_UNPLACED = 20;

/** Shown in the text format only. */
interface Circumstances {
  /** Wall-clock time. */
  readonly tookMs: number;
  /** Where the prices come from. */
  readonly prices: string;
}

export function simulationText(simulation: Simulation, { tookMs, prices }: Circumstances, terminal: Terminal): string {
  const { pods, moves, evictionsPerPodDay, nodeLifetimeMs } = simulation;
  const lines = [
    beside(
      `${durationText(simulation.simulatedMs)} simulated in ${(tookMs / 1000).toFixed(1)}s, seed ${simulation.seed}`,
      nodesText(simulation),
    ),
    beside(
      `pods   ${countText(pods.ran)} ran, ${countText(pods.unplaced.length)} unplaced`,
      pods.waitMs ? `wait p50 ${durationText(pods.waitMs.p50)}, p99 ${durationText(pods.waitMs.p99)}` : '',
    ),
    beside(costText(simulation), requestedText(simulation)),
    ...(simulation.repackedUsd === undefined ? [] : [repackedText(simulation)]),
    ...(simulation.coveredUsd === undefined ? [] : [coveredText(simulation.coveredUsd)]),
    `prices ${prices}`,
    `moves  ${[...movesText(moves), evictionsText(evictionsPerPodDay)].join(', ')}`,
    ...(nodeLifetimeMs ? [lifetimeText(nodeLifetimeMs)] : []),
    ...(simulation.capped ? [cappedText(simulation.capped)] : []),
  ];
  return `${lines.join('\n')}\n${unplacedText(pods.unplaced, terminal)}`;
}

const beside = (first: string, second: string): string => `${first.padEnd(FIRST_WIDTH)}${GAP}${second}`.trimEnd();

function nodesText({ nodes }: Simulation): string {
  const removed = nodes.filter(({ removedAtMs }) => removedAtMs !== undefined).length;
  const atStart = nodes.filter(({ launchedAtMs }) => launchedAtMs < 0).length;
  const began = atStart > 0 ? `from ${counted(atStart, 'node')}: ` : '';
  return `${began}launched ${countText(nodes.length - atStart)}, removed ${countText(removed)}, peak ${counted(peakOf(nodes), 'node')}`;
}

/**
 * Computes the maximum number of nodes at one time; a node that ends at an instant is not counted
 * with one that starts then.
 */
function peakOf(nodes: Simulation['nodes']): number {
  const steps = nodes.flatMap(({ launchedAtMs, removedAtMs }) => [
    { at: launchedAtMs, by: 1 },
    ...(removedAtMs === undefined ? [] : [{ at: removedAtMs, by: -1 }]),
  ]);
  let [now, peak] = [0, 0];
  for (const { by } of steps.toSorted((a, b) => a.at - b.at || a.by - b.by)) {
    now += by;
    peak = Math.max(peak, now);
  }
  return peak;
}

function costText({ costUsd, boundUsd }: Simulation): string {
  if (costUsd === undefined || boundUsd === undefined) return 'cost   not priced';
  const above = boundUsd > 0 ? ` (${changeText(costUsd / boundUsd - 1)})` : '';
  return `cost   ${usdText(costUsd)}, lower bound ${usdText(boundUsd)}${above}`;
}

const repackedText = ({ costUsd = 0, repackedUsd = 0 }: Simulation): string =>
  `       re-packed each hour ${usdText(repackedUsd)} (${changeText(costUsd / repackedUsd - 1)})`;

const coveredText = (coveredUsd: number): string =>
  `       without ${usdText(coveredUsd)} on demand that commitments pay for`;

const requestedText = ({ requested }: Simulation): string =>
  `requested: cpu ${shareText(requested.cpu)}, memory ${shareText(requested.memory)}`;

/** Shows drift and expiration only if there was any. */
function movesText(moves: Simulation['moves']): string[] {
  return [
    counted(moves.consolidations, 'consolidation'),
    ...(moves.drifts > 0 ? [counted(moves.drifts, 'drift')] : []),
    ...(moves.expirations > 0 ? [counted(moves.expirations, 'expiration')] : []),
    counted(moves.interruptions, 'interruption'),
  ];
}

const cappedText = ({ firstAtMs, text }: NonNullable<Simulation['capped']>): string =>
  `capped from ${durationText(firstAtMs)} on: ${text}`;

const evictionsText = (perPodDay: number | undefined): string =>
  perPodDay === undefined ? 'no pod ran' : `${perPodDay.toFixed(2)} evictions per pod and day`;

const lifetimeText = ({ p50, p10 }: NonNullable<Simulation['nodeLifetimeMs']>): string =>
  `nodes  lived p50 ${durationText(p50)}, p10 ${durationText(p10)}`;

/** Prints equal reasons once, for all pods that have them. */
function unplacedText(unplaced: readonly UnplacedPod[], { paint, all }: Terminal): string {
  const groups = [...Map.groupBy(unplaced, ({ reasons }) => JSON.stringify(reasons)).values()];
  const shown = all ? groups : groups.slice(0, MAX_UNPLACED);
  const lines = shown.flatMap((pods) => [
    `${paint('warn', 'unplaced')} ${namesText(pods, all)}`,
    ...reasonLines(pods[0]?.reasons ?? []),
    ...(pods[0]?.fix ? [`  fix: ${pods[0].fix.text}`] : []),
    ...(pods[0]?.otherFixes ?? []).map(({ text }) => `  or:  ${text}`),
  ]);
  const rest = unplaced.length - shown.flat().length;
  return [...lines, ...(rest > 0 ? [`and ${countText(rest)} more, --all`] : [])].map((line) => `${line}\n`).join('');
}

function namesText(pods: readonly UnplacedPod[], all: boolean): string {
  const [first, ...others] = pods.map(({ pod }) => pod);
  if (all || others.length === 0) return [first, ...others].join(' ');
  return `${first} and ${countText(others.length)} more like it`;
}

/** Formats pool, code and sentence in columns. */
function reasonLines(reasons: readonly ReasonDocument[]): string[] {
  const columns = [reasons.map(({ fields }) => fields.pool ?? ''), reasons.map(({ code }) => code)];
  const widths = columns.map((texts) => Math.max(0, ...texts.map(({ length }) => length)));
  return reasons.map(({ text }, line) => {
    const cells = columns.map((texts, column) => (texts[line] ?? '').padEnd(widths[column] ?? 0));
    return `  ${[...cells.filter((_, column) => (widths[column] ?? 0) > 0), text].join('  ')}`;
  });
}
