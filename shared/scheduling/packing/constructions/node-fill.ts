import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { WorkMeter } from '../../data-structures/work-meter.ts';
import type { PodShape } from './pod-shapes.ts';

/** A pod shape with the value of one of its pods, in USD per hour. */
export interface PricedShape {
  readonly shape: PodShape;
  readonly usd: number;
}

/** Pod shapes that may share a node, as columns: nodes are filled with them thousands of times. */
export interface PricedPods {
  readonly shapes: readonly PodShape[];
  /** The value of one pod of each shape, in USD per hour. */
  readonly usd: Vector;
  /** The resource columns that any of the shapes requests. */
  readonly columns: readonly number[];
  /** Requests of one pod in each of these columns, shape after shape. */
  readonly requests: Vector;
}

export function createPricedPods(priced: readonly PricedShape[]): PricedPods {
  const columns = [...new Set(priced.flatMap(({ shape }) => shape.requestedColumns))].toSorted((a, b) => a - b);
  const requests = new Float64Array(priced.length * columns.length);
  priced.forEach(({ shape }, position) => {
    columns.forEach((column, scope) => {
      requests[position * columns.length + scope] = at(shape.request, column);
    });
  });
  return {
    shapes: priced.map(({ shape }) => shape),
    usd: Float64Array.from(priced, ({ usd }) => usd),
    columns,
    requests,
  };
}

/** An empty node: its room for pods, and the shadow price of each resource there. */
export interface EmptyNode {
  readonly room: Vector;
  readonly usdPerUnit: Vector;
  readonly usd: number;
  /** The number of pods that each rule allows on the node. */
  readonly slots: readonly number[];
}

/**
 * Fills a node with the pods of the highest value for the room they take, and returns their total
 * value.
 *
 * Scarce room is expensive: the price of a resource on this node rises as its room shrinks. After
 * pods that need much memory the node takes pods that need much CPU, so that both resources are
 * used up together. While there is much room, pods are placed in large portions; in the end one by
 * one.
 *
 * @param onFill - called with each portion that is placed
 */
export function fillNode(
  node: EmptyNode,
  pricedPods: PricedPods,
  { spend }: Pick<WorkMeter, 'spend'>,
  onFill?: (shape: PodShape, pods: number) => void,
): number {
  const fill = startFill(node, pricedPods);
  const scarcity = new Float64Array(pricedPods.columns.length);
  let totalUsd = 0;
  for (;;) {
    spend(OPERATIONS_PER_SHAPE * fill.fittingShapes);
    updateScarcity(scarcity, fill.room, node, pricedPods.columns);
    const best = findBestFitting(pricedPods, fill, scarcity);
    const shape = pricedPods.shapes[best];
    if (!shape) return totalUsd;
    const pods = Math.ceil(countPodsThatFit(pricedPods, best, fill) * SHARE_PER_STEP);
    take(pricedPods, best, pods, fill);
    totalUsd += at(pricedPods.usd, best) * pods;
    onFill?.(shape, pods);
  }
}

/** A step compares the requests of the shapes that still fit: columns of numbers, one after the other. */
const OPERATIONS_PER_SHAPE = 0.1;

/** The free room of the node, and the pods that may still be placed on it. */
interface NodeFill {
  /** By column of the priced pods. */
  readonly room: Vector;
  readonly slots: number[];
  /** Pods of each shape that are not on the node. */
  readonly remaining: Int32Array;
  /** Positions of the shapes that fitted at the last look: the first `fittingShapes` entries. */
  readonly order: Int32Array;
  fittingShapes: number;
}

function startFill({ room, slots }: EmptyNode, { shapes, columns }: PricedPods): NodeFill {
  const remaining = new Int32Array(shapes.length);
  const order = new Int32Array(shapes.length);
  for (let position = 0; position < shapes.length; position++) {
    remaining[position] = shapes[position]?.count ?? 0;
    order[position] = position;
  }
  return {
    room: Float64Array.from(columns, (column) => at(room, column)),
    slots: [...slots],
    remaining,
    order,
    fittingShapes: shapes.length,
  };
}

/**
 * Finds the position of the shape with the highest value for the resources it takes; -1 if none
 * fits. Shapes that do not fit are removed: room only shrinks, so they never will.
 */
function findBestFitting(pricedPods: PricedPods, fill: NodeFill, scarcity: Vector): number {
  const { requests, usd } = pricedPods;
  const { order, remaining } = fill;
  const width = scarcity.length;
  let best = -1;
  let maxCount = -1;
  let fittingCount = 0;
  for (let entry = 0; entry < fill.fittingShapes; entry++) {
    const position = order[entry] ?? 0;
    if ((remaining[position] ?? 0) <= 0 || !fits(pricedPods, position, fill)) continue;
    let cost = 0;
    for (let column = 0; column < width; column++) {
      cost += at(requests, position * width + column) * at(scarcity, column);
    }
    const rating = at(usd, position) / cost;
    if (rating > maxCount) {
      best = position;
      maxCount = rating;
    }
    order[fittingCount] = position;
    fittingCount += 1;
  }
  fill.fittingShapes = fittingCount;
  return best;
}

function take(
  { shapes, requests }: PricedPods,
  position: number,
  pods: number,
  { room, slots, remaining }: NodeFill,
): void {
  remaining[position] = (remaining[position] ?? 0) - pods;
  for (let column = 0; column < room.length; column++) {
    room[column] = at(room, column) - at(requests, position * room.length + column) * pods;
  }
  const slot = shapes[position]?.slot ?? -1;
  if (slot >= 0) slots[slot] = (slots[slot] ?? 0) - pods;
}

/** Share of the fitting pods of a shape that is placed before prices are updated. */
const SHARE_PER_STEP = 0.25;

/** Abundant resources have a price near 0 until they become scarce on this node. */
const MIN_RESOURCE_SHARE = 0.02;

function updateScarcity(
  into: Vector,
  room: Vector,
  { room: empty, usdPerUnit, usd }: EmptyNode,
  columns: readonly number[],
): void {
  for (let position = 0; position < into.length; position++) {
    const column = columns[position] ?? 0;
    const all = at(empty, column);
    const totalUsd = at(usdPerUnit, column) * all + MIN_RESOURCE_SHARE * usd;
    into[position] = all > 0 ? totalUsd / Math.max(at(room, position), all * MIN_ROOM_SHARE) : 0;
  }
}

/** Below this share of the node's room, the room counts as used up. */
const MIN_ROOM_SHARE = 1e-3;

function fits({ shapes, requests }: PricedPods, position: number, { room, slots }: NodeFill): boolean {
  const slot = shapes[position]?.slot ?? -1;
  if (slot >= 0 && (slots[slot] ?? 0) <= 0) return false;
  for (let column = 0; column < room.length; column++) {
    if (at(room, column) < at(requests, position * room.length + column)) return false;
  }
  return true;
}

function countPodsThatFit(
  { shapes, requests }: PricedPods,
  position: number,
  { room, slots, remaining }: NodeFill,
): number {
  const slot = shapes[position]?.slot ?? -1;
  let pods = remaining[position] ?? 0;
  if (slot >= 0) pods = Math.min(pods, slots[slot] ?? 0);
  for (let column = 0; column < room.length && pods > 0; column++) {
    const request = at(requests, position * room.length + column);
    if (request > 0) pods = Math.min(pods, Math.floor(at(room, column) / request));
  }
  return Math.max(0, pods);
}
