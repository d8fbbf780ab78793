import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../model/time.ts';
import type { NodePeak } from '../../ports/learned-state.ts';
import type { Ports } from '../../ports/ports.ts';

/** A cluster may grow to this multiple of its largest size of the last day at once. */
const GROWTH_FACTOR = 3;
/** A cluster without a past may have so many nodes before the first of them is ready. */
const MIN_NODE_CAP = 20;

/**
 * Computes how many nodes a cluster may have by default. A node counts for the peak once it is
 * ready, so real demand raises the cap with every group of nodes that starts, and nodes that do not
 * start raise nothing.
 *
 * @param peak - the largest number of ready nodes of the last day
 */
export const computeNodeCap = (peak: number): number => Math.max(MIN_NODE_CAP, GROWTH_FACTOR * peak);

/** Counts the nodes that have started and are not about to go. */
export const countReadyClaims = (claims: readonly NodeClaim[]): number =>
  claims.filter(({ initializedAt, deletingAt }) => initializedAt !== undefined && deletingAt === undefined).length;

/** Reads the largest number of ready nodes of the last day; 0 before the first sweep. */
export async function readNodePeak({ sweepState, clock }: PeakPorts): Promise<number> {
  const { nodePeaks = [] } = (await sweepState.read()) ?? {};
  return Math.max(0, ...keepLastDay(nodePeaks, clock.now()).map(({ nodes }) => nodes));
}

type PeakPorts = Pick<Ports, 'sweepState' | 'clock'>;

/**
 * Records the number of ready nodes in the state of the sweep: the largest of each hour of the last
 * day. Nodes that other controllers launched count as well, because they show how large the cluster
 * usually is.
 */
export async function recordNodePeak(ports: PeakPorts, nodes: readonly Node[]): Promise<void> {
  const state = await ports.sweepState.read();
  // The garbage collection of the first sweep creates the state; the next sweep records the peak.
  if (!state) return;
  const before = state.nodePeaks ?? [];
  const nodePeaks = addCount(before, countReadyNodes(nodes), ports.clock.now());
  if (JSON.stringify(nodePeaks) === JSON.stringify(before)) return;
  await ports.sweepState.write({ ...state, nodePeaks });
}

const countReadyNodes = (nodes: readonly Node[]): number =>
  nodes.filter(({ ready, deletionAt }) => ready && deletionAt === undefined).length;

function addCount(peaks: readonly NodePeak[], nodes: number, now: EpochMs): readonly NodePeak[] {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const recent = keepLastDay(peaks, now);
  const current = Math.max(nodes, ...recent.filter((peak) => peak.hour === hour).map(toNodes));
  return [...recent.filter((peak) => peak.hour !== hour), { hour, nodes: current }];
}

const toNodes = ({ nodes }: NodePeak): number => nodes;

/** An hour counts until its last minute is a day old. */
const keepLastDay = (peaks: readonly NodePeak[], now: EpochMs): readonly NodePeak[] =>
  peaks.filter(({ hour }) => hour + HOUR_MS > now - DAY_MS);
