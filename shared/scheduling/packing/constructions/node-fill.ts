import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { PodShape } from './pod-shapes.ts';

/** A shape with what one of its pods is worth to whoever opens a node, in USD per hour. */
export interface PricedShape {
  readonly shape: PodShape;
  readonly usd: number;
}

/** Shapes that may share a node, in columns: nodes are filled with them thousands of times. */
export interface PricedPods {
  readonly shapes: readonly PodShape[];
  /** What one pod of each is worth, in USD per hour. */
  readonly usd: Vector;
  /** The columns of resources that any of them asks for. */
  readonly columns: readonly number[];
  /** What one pod asks for in each of these columns, shape after shape. */
  readonly requests: Vector;
}

export function createPricedPods(priced: readonly PricedShape[]): PricedPods {
  const columns = [...new Set(priced.flatMap(({ shape }) => shape.requestedColumns))].toSorted(
    (a, b) => a - b,
  );
  const requests = new Float64Array(priced.length * columns.length);
  priced.forEach(({ shape }, position) => {
    columns.forEach((column, place) => {
      requests[position * columns.length + place] = at(shape.request, column);
    });
  });
  return {
    shapes: priced.map(({ shape }) => shape),
    usd: Float64Array.from(priced, ({ usd }) => usd),
    columns,
    requests,
  };
}

/** An empty node: the room for pods, and what a unit of each resource is worth there. */
export interface EmptyNode {
  readonly room: Vector;
  readonly usdPerUnit: Vector;
  readonly usd: number;
  /** How many pods of each rule it may have. */
  readonly slots: readonly number[];
}

/**
 * Fills a node with the pods that are worth most for the room they take, and tells what all of them
 * are worth.
 *
 * Room is dear where it runs short: the price of a resource on this node rises as its room shrinks,
 * so that after pods which are rich in memory those come that are rich in CPU, and both run out
 * together. Large parts are put on at once while there is much room, single pods at the end.
 *
 * @param onFill - told what goes on the node
 */
export function fillNode(
  node: EmptyNode,
  pricedPods: PricedPods,
  onFill?: (shape: PodShape, pods: number) => void,
): number {
  const fill = startFill(node, pricedPods);
  const scarcity = new Float64Array(pricedPods.columns.length);
  let totalUsd = 0;
  for (;;) {
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

/** What a node has left, and who may still come onto it. */
interface NodeFill {
  /** By column of the menu. */
  readonly room: Vector;
  readonly slots: number[];
  /** Pods of each shape that are not on the node yet. */
  readonly remaining: Int32Array;
  /** Positions of the shapes that fitted when they were last looked at: the first `waiting` of them. */
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
 * The position of the shape whose pods are worth most for what they take; -1 if none fits. Those
 * that do not fit are struck off: room only shrinks, so they never will.
 */
function findBestFitting(pricedPods: PricedPods, fill: NodeFill, scarcity: Vector): number {
  const { requests, usd } = pricedPods;
  const { order, remaining } = fill;
  const width = scarcity.length;
  let best = -1;
  let most = -1;
  let kept = 0;
  for (let slotInOrder = 0; slotInOrder < fill.fittingShapes; slotInOrder++) {
    const position = order[slotInOrder] ?? 0;
    if ((remaining[position] ?? 0) <= 0 || !fits(pricedPods, position, fill)) continue;
    let cost = 0;
    for (let column = 0; column < width; column++) {
      cost += at(requests, position * width + column) * at(scarcity, column);
    }
    const rating = at(usd, position) / cost;
    if (rating > most) {
      best = position;
      most = rating;
    }
    order[kept] = position;
    kept += 1;
  }
  fill.fittingShapes = kept;
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

/** Of the pods of one shape that fit, the share that is put on before the prices are looked at again. */
const SHARE_PER_STEP = 0.25;

/** Resources that bind nobody have a price near nothing, until they run short on this node. */
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

/** Room below this share of all is as good as none. */
const MIN_ROOM_SHARE = 1e-3;

function fits(
  { shapes, requests }: PricedPods,
  position: number,
  { room, slots }: NodeFill,
): boolean {
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
