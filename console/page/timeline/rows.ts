import type { NodeSpan } from '../../timeline-views.ts';

export type GanttRow =
  | { readonly kind: 'pool'; readonly name: string; readonly count: number }
  | { readonly kind: 'node'; readonly span: NodeSpan }
  /** The number of nodes over time, for fleets with too many rows. */
  | { readonly kind: 'counts'; readonly spans: readonly NodeSpan[] };

export interface Gantt {
  readonly rows: readonly { readonly row: GanttRow; readonly y: number; readonly h: number }[];
  readonly height: number;
}

const HEAD_PX = 18;
const LABELLED_PX = 13;
const NARROW_PX = 3;
const COUNTS_PX = 44;
/** Above these numbers of nodes rows are narrow, and then only counted. */
const MAX_LABELLED = 200;
const MAX_NARROW = 800;

/** The rows of the chart from top to bottom: each NodePool, then its nodes in order of birth. */
export function layoutGantt(nodes: readonly NodeSpan[]): Gantt {
  const rows: { row: GanttRow; y: number; h: number }[] = [];
  let y = 0;
  const add = (row: GanttRow, h: number): void => {
    rows.push({ row, y, h });
    y += h;
  };
  for (const [pool, spans] of Map.groupBy(nodes, (span) => span.pool)) {
    const count = spans.filter(({ goneAt }) => goneAt === undefined).length;
    add({ kind: 'pool', name: pool === '' ? 'no NodePool' : pool, count }, HEAD_PX);
    if (nodes.length > MAX_NARROW) add({ kind: 'counts', spans }, COUNTS_PX);
    else {
      const h = nodes.length > MAX_LABELLED ? NARROW_PX : LABELLED_PX;
      for (const span of spans) add({ kind: 'node', span }, h);
    }
  }
  return { rows, height: y };
}

export const findRow = ({ rows }: Gantt, y: number): GanttRow | undefined =>
  rows.find((row) => y >= row.y && y < row.y + row.h)?.row;

/** Changes of the number of nodes, as steps from the first one on. */
export function countSteps(spans: readonly NodeSpan[]): readonly { readonly at: number; readonly count: number }[] {
  const changes = spans
    .flatMap(({ bornAt, goneAt }) => [{ at: bornAt, by: 1 }, ...(goneAt === undefined ? [] : [{ at: goneAt, by: -1 }])])
    .toSorted((a, b) => a.at - b.at);
  let count = 0;
  return changes.map(({ at, by }) => {
    count += by;
    return { at, count };
  });
}
