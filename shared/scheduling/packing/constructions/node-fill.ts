import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Shape } from './pod-shapes.ts';

/** A shape with what one of its pods is worth to whoever opens a node, in USD per hour. */
export interface PricedShape {
  readonly shape: Shape;
  readonly usd: number;
}

/** Shapes that may share a node, in columns: nodes are filled with them thousands of times. */
export interface Menu {
  readonly shapes: readonly Shape[];
  /** What one pod of each is worth, in USD per hour. */
  readonly usd: Vector;
  /** The columns of resources that any of them asks for. */
  readonly columns: readonly number[];
  /** What one pod asks for in each of these columns, shape after shape. */
  readonly requests: Vector;
}

export function menuOf(priced: readonly PricedShape[]): Menu {
  const columns = [...new Set(priced.flatMap(({ shape }) => shape.asked))].toSorted(
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
  menu: Menu,
  onFill?: (shape: Shape, pods: number) => void,
): number {
  const filling = startFilling(node, menu);
  const scarcity = new Float64Array(menu.columns.length);
  let worth = 0;
  for (;;) {
    weigh(scarcity, filling.room, node, menu.columns);
    const best = bestFitting(menu, filling, scarcity);
    const shape = menu.shapes[best];
    if (!shape) return worth;
    const pods = Math.ceil(podsThatFit(menu, best, filling) * PART);
    take(menu, best, pods, filling);
    worth += at(menu.usd, best) * pods;
    onFill?.(shape, pods);
  }
}

/** What a node has left, and who may still come onto it. */
interface Filling {
  /** By column of the menu. */
  readonly room: Vector;
  readonly slots: number[];
  /** Pods of each shape that are not on the node yet. */
  readonly left: Int32Array;
  /** Positions of the shapes that fitted when they were last looked at: the first `waiting` of them. */
  readonly order: Int32Array;
  waiting: number;
}

function startFilling({ room, slots }: EmptyNode, { shapes, columns }: Menu): Filling {
  const left = new Int32Array(shapes.length);
  const order = new Int32Array(shapes.length);
  for (let position = 0; position < shapes.length; position++) {
    left[position] = shapes[position]?.count ?? 0;
    order[position] = position;
  }
  return {
    room: Float64Array.from(columns, (column) => at(room, column)),
    slots: [...slots],
    left,
    order,
    waiting: shapes.length,
  };
}

/**
 * The position of the shape whose pods are worth most for what they take; -1 if none fits. Those
 * that do not fit are struck off: room only shrinks, so they never will.
 */
function bestFitting(menu: Menu, filling: Filling, scarcity: Vector): number {
  const { requests, usd } = menu;
  const { order, left } = filling;
  const width = scarcity.length;
  let best = -1;
  let most = -1;
  let kept = 0;
  for (let turn = 0; turn < filling.waiting; turn++) {
    const position = order[turn] ?? 0;
    if ((left[position] ?? 0) <= 0 || !fits(menu, position, filling)) continue;
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
  filling.waiting = kept;
  return best;
}

function take(
  { shapes, requests }: Menu,
  position: number,
  pods: number,
  { room, slots, left }: Filling,
): void {
  left[position] = (left[position] ?? 0) - pods;
  for (let column = 0; column < room.length; column++) {
    room[column] = at(room, column) - at(requests, position * room.length + column) * pods;
  }
  const slot = shapes[position]?.slot ?? -1;
  if (slot >= 0) slots[slot] = (slots[slot] ?? 0) - pods;
}

/** Of the pods of one shape that fit, the share that is put on before the prices are looked at again. */
const PART = 0.25;

/** Resources that bind nobody have a price near nothing, until they run short on this node. */
const LEAST_SHARE = 0.02;

function weigh(
  into: Vector,
  room: Vector,
  { room: empty, usdPerUnit, usd }: EmptyNode,
  columns: readonly number[],
): void {
  for (let position = 0; position < into.length; position++) {
    const column = columns[position] ?? 0;
    const all = at(empty, column);
    const worth = at(usdPerUnit, column) * all + LEAST_SHARE * usd;
    into[position] = all > 0 ? worth / Math.max(at(room, position), all * LAST_BIT) : 0;
  }
}

/** Room below this share of all is as good as none. */
const LAST_BIT = 1e-3;

function fits({ shapes, requests }: Menu, position: number, { room, slots }: Filling): boolean {
  const slot = shapes[position]?.slot ?? -1;
  if (slot >= 0 && (slots[slot] ?? 0) <= 0) return false;
  for (let column = 0; column < room.length; column++) {
    if (at(room, column) < at(requests, position * room.length + column)) return false;
  }
  return true;
}

function podsThatFit(
  { shapes, requests }: Menu,
  position: number,
  { room, slots, left }: Filling,
): number {
  const slot = shapes[position]?.slot ?? -1;
  let pods = left[position] ?? 0;
  if (slot >= 0) pods = Math.min(pods, slots[slot] ?? 0);
  for (let column = 0; column < room.length && pods > 0; column++) {
    const request = at(requests, position * room.length + column);
    if (request > 0) pods = Math.min(pods, Math.floor(at(room, column) / request));
  }
  return Math.max(0, pods);
}
