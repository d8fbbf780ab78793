import { durationMs } from '../model/duration.ts';
import type { Budget } from '../model/node-pool.ts';
import type { NodePoolSpec } from './objects/node-pool.ts';

type Written = NodePoolSpec['disruption']['budgets'][number];

export const readBudget = ({ nodes, reasons, schedule, duration }: Written): Budget => ({
  nodes,
  ...(reasons ? { reasons } : {}),
  ...(schedule === undefined ? {} : { schedule }),
  ...(duration === undefined ? {} : { durationMs: durationMs(duration) }),
});
