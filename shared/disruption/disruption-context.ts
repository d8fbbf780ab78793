import type { NodePool } from '../model/nodes/node-pool.ts';
import type { DisruptionCommand } from '../model/plans.ts';
import type { Problem } from '../scheduling/input/problem.ts';

/** What all methods of one decision look at. */
export interface Round {
  readonly problem: Problem;
  readonly pools: ReadonlyMap<string, NodePool>;
  /** Commands under way. */
  readonly running: readonly DisruptionCommand[];
  /** The claims that those remove. */
  readonly busy: ReadonlySet<string>;
  /** Id of this decision. */
  readonly decision: string;
}
