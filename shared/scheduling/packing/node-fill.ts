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
  const room = empty.slice();
  const slotsLeft = [...slots];
  const taken = new Map<Shape, number>();
  let worth = 0;
  for (;;) {
    const weights = weightsOf(room, empty, usdPerUnit, usd);
    let [best, most, dearest]: [PricedShape | undefined, number, number] = [undefined, 0, 0];
    for (const one of shapes) {
      const rating = one.usd / costOf(one.shape, weights);
      if (rating <= dearest) continue;
      const pods = podsThatFit(one.shape, room, slotsLeft, taken.get(one.shape) ?? 0);
      if (pods > 0) [best, most, dearest] = [one, pods, rating];
    }
    if (!best) return worth;
    const { shape } = best;
    const pods = Math.ceil(most * PART);
    for (const column of shape.asked) {
      room[column] = at(room, column) - at(shape.request, column) * pods;
    }
    if (shape.slot >= 0) slotsLeft[shape.slot] = (slotsLeft[shape.slot] ?? 0) - pods;
    taken.set(shape, (taken.get(shape) ?? 0) + pods);
    worth += best.usd * pods;
    onFill(shape, pods);
  }
}

/** Of the pods of one shape that fit, the share that is put on before the prices are looked at again. */
const PART = 0.25;

/** Resources that bind nobody have a price near nothing, until they run short on this node. */
const LEAST_SHARE = 0.02;

function weightsOf(room: Vector, empty: Vector, usdPerUnit: Vector, usd: number): Vector {
  return room.map((left, column) => {
    const all = at(empty, column);
    if (all <= 0) return 0;
    return (at(usdPerUnit, column) * all + LEAST_SHARE * usd) / Math.max(left, all * 1e-3);
  });
}

function costOf({ request, asked }: Shape, weights: Vector): number {
  let cost = 0;
  for (const column of asked) cost += at(request, column) * at(weights, column);
  return cost;
}

function podsThatFit(
  { count, slot, request, asked }: Shape,
  room: Vector,
  slotsLeft: readonly number[],
  taken: number,
): number {
  let pods = count - taken;
  if (slot >= 0) pods = Math.min(pods, slotsLeft[slot] ?? 0);
  for (const column of asked) {
    if (pods <= 0) return 0;
    pods = Math.min(pods, Math.floor(at(room, column) / at(request, column)));
  }
  return pods;
}
