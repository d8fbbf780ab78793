import { at, type Vector } from '../vectors.ts';
import type { Shape } from './shapes.ts';

/** A shape with what one of its pods is worth to whoever opens a node, in USD per hour. */
export interface PricedShape {
  readonly shape: Shape;
  readonly usd: number;
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
  { room: empty, usdPerUnit, usd, slots }: EmptyNode,
  shapes: readonly PricedShape[],
  onFill: (shape: Shape, pods: number) => void = () => {},
): number {
  const filling = { room: empty.slice(), slots: [...slots] };
  const scarcity = new Float64Array(empty.length);
  const waiting = { shapes: [...shapes], left: shapes.map(({ shape }) => shape.count) };
  let worth = 0;
  for (;;) {
    weigh(scarcity, filling.room, empty, usdPerUnit, usd);
    const best = bestFitting(waiting, filling, scarcity);
    const one = waiting.shapes[best];
    if (!one) return worth;
    const left = waiting.left[best] ?? 0;
    const pods = Math.ceil(podsThatFit(one.shape, left, filling) * PART);
    waiting.left[best] = left - pods;
    take(filling, one.shape, pods);
    worth += one.usd * pods;
    onFill(one.shape, pods);
  }
}

/** Shapes, and how many pods of each are not on the node yet. */
interface Waiting {
  readonly shapes: PricedShape[];
  readonly left: number[];
}

/** What a node has left. */
interface Filling {
  readonly room: Vector;
  readonly slots: number[];
}

/**
 * The position of the shape whose pods are worth most for what they take; -1 if none fits. Those
 * that do not fit are struck off: room only shrinks, so they never will.
 */
function bestFitting({ shapes, left }: Waiting, filling: Filling, scarcity: Vector): number {
  let best = -1;
  let most = -1;
  let kept = 0;
  for (let position = 0; position < shapes.length; position++) {
    const one = shapes[position];
    const pods = left[position] ?? 0;
    if (!one || pods <= 0 || !fits(one.shape, filling)) continue;
    const { request, asked } = one.shape;
    let cost = 0;
    for (const column of asked) cost += at(request, column) * at(scarcity, column);
    const rating = one.usd / cost;
    if (rating > most) {
      best = kept;
      most = rating;
    }
    shapes[kept] = one;
    left[kept] = pods;
    kept += 1;
  }
  shapes.length = kept;
  left.length = kept;
  return best;
}

function take({ room, slots }: Filling, { request, asked, slot }: Shape, pods: number): void {
  for (const column of asked) room[column] = at(room, column) - at(request, column) * pods;
  if (slot >= 0) slots[slot] = (slots[slot] ?? 0) - pods;
}

/** Of the pods of one shape that fit, the share that is put on before the prices are looked at again. */
const PART = 0.25;

/** Resources that bind nobody have a price near nothing, until they run short on this node. */
const LEAST_SHARE = 0.02;

function weigh(into: Vector, room: Vector, empty: Vector, usdPerUnit: Vector, usd: number): void {
  for (let column = 0; column < into.length; column++) {
    const all = at(empty, column);
    const worth = at(usdPerUnit, column) * all + LEAST_SHARE * usd;
    into[column] = all > 0 ? worth / Math.max(at(room, column), all * LAST_BIT) : 0;
  }
}

/** Room below this share of all is as good as none. */
const LAST_BIT = 1e-3;

function fits({ slot, request, asked }: Shape, { room, slots }: Filling): boolean {
  if (slot >= 0 && (slots[slot] ?? 0) <= 0) return false;
  for (const column of asked) if (at(room, column) < at(request, column)) return false;
  return true;
}

function podsThatFit(
  { slot, request, asked }: Shape,
  left: number,
  { room, slots }: Filling,
): number {
  let pods = slot >= 0 ? Math.min(left, slots[slot] ?? 0) : left;
  for (const column of asked) {
    if (pods <= 0) return 0;
    pods = Math.min(pods, Math.floor(at(room, column) / at(request, column)));
  }
  return pods;
}
