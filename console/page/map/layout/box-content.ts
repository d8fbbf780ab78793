import { dominantShare, sumAmounts } from '../../../views/amounts.ts';
import type { Amounts, PodView } from '../../../views.ts';
import type { NodeWithPods } from '../../store/cluster-model.ts';
import type { Level, Rect } from './layout.ts';
import type { Tile, Weighted } from './tiling.ts';
import { tileFromLeft } from './tiling.ts';

export const AREAS = ['dominant', 'cpu', 'memory', 'gpu'] as const;
export type Area = (typeof AREAS)[number];

/** A cluster without GPUs has no area for them. */
export const listAreas = (gpus: number): readonly Area[] => AREAS.filter((area) => area !== 'gpu' || gpus > 0);

/** The parts of a box. */
export interface BoxContent {
  /** Area for pods: below the header, above the meters. */
  readonly inner: Rect;
  /** The strip of DaemonSets on the left. */
  readonly daemons: Rect;
  readonly tiles: readonly Tile<PodView>[];
  /** Namespaces instead of tiles, at levels too small for single pods. */
  readonly stripes: readonly Tile<string>[];
  /** The unrequested area. */
  readonly free: Rect;
}

const shareOf = (area: Area, amounts: Amounts, allocatable: Amounts): number => {
  switch (area) {
    case 'cpu':
      return ratio(amounts.cpuMilli, allocatable.cpuMilli);
    case 'memory':
      return ratio(amounts.memoryMib, allocatable.memoryMib);
    case 'gpu':
      return ratio(amounts.gpu, allocatable.gpu);
    case 'dominant':
      return dominantShare(amounts, allocatable);
  }
};

const ratio = (part: number, whole: number): number => (whole > 0 ? Math.min(1, part / whole) : 0);

/** Minimum width for a visible strip. */
const MIN_STRIP = 3;

export interface ContentOptions {
  readonly area: Area;
  readonly namespaceColors: ReadonlyMap<string, number>;
  readonly detail: Level['detail'];
}

export function computeBoxContent(
  { node, pods }: NodeWithPods,
  inner: Rect,
  { area, namespaceColors, detail }: ContentOptions,
): BoxContent {
  const [daemonPods, ownPods] = [pods.filter(isDaemon), pods.filter((pod) => !isDaemon(pod))];
  const requested = (some: readonly PodView[]) => sumAmounts(some.map(({ requests }) => requests));
  const filled = shareOf(area, requested(pods), node.allocatable);
  const daemonShare = shareOf(area, requested(daemonPods), node.allocatable);

  const stripWidth = daemonPods.length === 0 ? 0 : Math.max(MIN_STRIP, daemonShare * inner.w);
  const podsWidth = Math.max(0, Math.min(inner.w - stripWidth, (filled - daemonShare) * inner.w));
  const podsArea = { ...inner, x: inner.x + stripWidth, w: podsWidth };
  const freeX = podsArea.x + podsWidth;
  const shares = weighted(ownPods, area, node.allocatable, namespaceColors);
  const isFar = detail === 'stripes';
  return {
    inner,
    daemons: { ...inner, w: stripWidth },
    tiles: isFar ? [] : tileFromLeft(shares, podsArea),
    stripes: isFar ? stripesOf(shares, podsArea) : [],
    free: { ...inner, x: freeX, w: Math.max(0, inner.x + inner.w - freeX) },
  };
}

const isDaemon = ({ daemon }: PodView): boolean => daemon;

/**
 * Pods by namespace and workload, the largest first. Dominant shares of CPU-heavy and memory-heavy
 * pods may add up to more than the node's fill level, so they are scaled to it.
 */
function weighted(
  pods: readonly PodView[],
  area: Area,
  allocatable: Amounts,
  namespaceColors: ReadonlyMap<string, number>,
) {
  const shares = pods.map((pod) => ({
    item: pod,
    share: shareOf(area, pod.requests, allocatable),
  }));
  const sum = shares.reduce((total, { share }) => total + share, 0);
  const rank = ({ namespace }: PodView) => namespaceColors.get(namespace) ?? namespaceColors.size;
  return shares
    .map(({ item, share }) => ({ item, share: sum === 0 ? 0 : share / sum }))
    .toSorted(
      (a, b) =>
        rank(a.item) - rank(b.item) ||
        compare(a.item.namespace, b.item.namespace) ||
        compare(a.item.workload, b.item.workload) ||
        b.share - a.share ||
        compare(a.item.key, b.item.key),
    );
}

function stripesOf(shares: readonly Weighted<PodView>[], { x, y, w, h }: Rect): Tile<string>[] {
  const byNamespace = Map.groupBy(shares, ({ item }) => item.namespace);
  let stripeX = x;
  return [...byNamespace].map(([item, members]) => {
    const width = members.reduce((sum, { share }) => sum + share, 0) * w;
    const stripe = { item, x: stripeX, y, w: width, h };
    stripeX += width;
    return stripe;
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
