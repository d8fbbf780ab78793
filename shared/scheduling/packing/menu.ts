import { at, type Vector } from '../data-structures/resource-vectors.ts';
import type { Shape } from './constructions/pod-shapes.ts';

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
