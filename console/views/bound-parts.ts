import type { ReasonCode } from '../../shared/model/explanations/reasons.ts';
import { formatShortUsd, formatUsd } from '../format.ts';
import type { BoundPart, LowerBound, NodeView } from '../views.ts';
import { dominantShare } from './amounts.ts';
import type { ConsoleFacts } from './facts.ts';

/** Smaller differences are not worth a word. */
const MIN_USD = 0.0005;
/** From this share on, one part is explanation enough. */
const MOST = 0.6;

/**
 * Explains in dollars why the cluster costs more than its lower bound. The parts add up to the
 * difference: each takes what its cause costs, at most what the parts before it have left.
 *
 * @param computed - as if all pods moved to new nodes. Nodes that cost less than any that the NodePools
 *   allow now bound the cost from below themselves.
 */
export function explainBound(
  computed: LowerBound,
  all: readonly NodeView[],
  facts: Pick<ConsoleFacts, 'snapshot' | 'commands' | 'proposal' | 'decisions'>,
): LowerBound {
  const nodes = listBounded(all, facts);
  const costUsd = nodes.reduce((sum, { hourlyUsd = 0 }) => sum + hourlyUsd, 0);
  const bound = { ...computed, hourlyUsd: Math.min(computed.hourlyUsd, costUsd) };
  const parts = splitGap(costUsd - bound.hourlyUsd, listCauses(nodes, facts)).toSorted(
    (a, b) => b.hourlyUsd - a.hourlyUsd,
  );
  const [largest] = parts;
  if (!largest) return { ...bound, costUsd };
  const isMost = largest.hourlyUsd > MOST * (costUsd - bound.hourlyUsd);
  const shown = parts.slice(0, isMost ? 1 : 2);
  const text = shown.map(({ label, hourlyUsd: usd }) => `${formatPart(usd)} ${label}`).join(', ');
  return { ...bound, costUsd, text, parts };
}

/** The bound is about the pods on nodes of NodePools, and about all if there are no NodePools. */
function listBounded(
  nodes: readonly NodeView[],
  { snapshot: { pools, claims } }: Pick<ConsoleFacts, 'snapshot'>,
): readonly NodeView[] {
  if (pools.length === 0) return nodes;
  const names = new Set(claims.map(({ name }) => name));
  return nodes.filter(({ name }) => names.has(name));
}

const formatPart = (usd: number): string => (usd < 0.1 ? formatShortUsd(usd) : formatUsd(usd));

function splitGap(gap: number, causes: readonly BoundPart[]): readonly BoundPart[] {
  let remaining = gap;
  const parts = causes.map(({ label, hourlyUsd }) => {
    const part = Math.min(remaining, hourlyUsd);
    remaining -= part;
    return { label, hourlyUsd: part };
  });
  // Spread rules and fixed types leave no free room: their nodes are full, and cost more than needed.
  const rest = { label: 'spread and other types', hourlyUsd: remaining };
  return [...parts, rest].filter(({ hourlyUsd }) => hourlyUsd >= MIN_USD);
}

const WAITING_FOR_BUDGETS: ReadonlySet<ReasonCode | undefined> = new Set([
  'budget-exhausted',
  'budget-closed',
  'budget-unreadable',
]);

function listCauses(
  nodes: readonly NodeView[],
  { commands, proposal, decisions }: Pick<ConsoleFacts, 'commands' | 'proposal' | 'decisions'>,
): readonly BoundPart[] {
  const sum = (label: string, usdOf: (node: NodeView) => number): BoundPart => ({
    label,
    hourlyUsd: nodes.reduce((total, node) => total + usdOf(node), 0),
  });
  const isStarting = ({ state }: NodeView) => state === 'starting' || state === 'registered';
  const isLeaving = ({ state }: NodeView) => state === 'draining' || state === 'interrupted';
  const going = new Set(commands.flatMap(({ candidates }) => candidates));
  const free = ({ hourlyUsd = 0, requested, allocatable }: NodeView): number =>
    hourlyUsd * (1 - dominantShare(requested, allocatable));
  const freeIf = (matches: (node: NodeView) => boolean) => (node: NodeView) =>
    isStarting(node) || isLeaving(node) || !matches(node) ? 0 : free(node);
  const isHeldBack = ({ name }: NodeView): boolean =>
    WAITING_FOR_BUDGETS.has(decisions.stayOf(name)?.verdict.reason.code);
  const isHeld = ({ holds }: NodeView) => holds.length > 0;
  const willGo = ({ name }: NodeView) => going.has(name);
  const isOther = (node: NodeView) => !isHeldBack(node) && !isHeld(node) && !willGo(node);
  const proposed = { label: 'not yet consolidated', hourlyUsd: proposal?.savingHourlyUsd ?? 0 };
  return [
    sum('starting nodes', (node) => (isStarting(node) ? (node.hourlyUsd ?? 0) : 0)),
    sum('leaving nodes', (node) => (isLeaving(node) ? (node.hourlyUsd ?? 0) : 0)),
    proposed,
    sum('nodes about to go', freeIf(willGo)),
    sum('waiting for budgets', freeIf(isHeldBack)),
    sum(
      'held nodes',
      freeIf((node) => isHeld(node) && !isHeldBack(node) && !willGo(node)),
    ),
    sum('DaemonSets', ({ hourlyUsd = 0, daemon, allocatable }) =>
      allocatable.cpuMilli > 0 ? hourlyUsd * dominantShare(daemon, allocatable) : 0,
    ),
    sum('free room', freeIf(isOther)),
  ];
}
