import type { CostByCapacity } from './views.ts';

export const totalOf = (cost: CostByCapacity): number => cost['on-demand'] + cost.spot + cost.reserved;
