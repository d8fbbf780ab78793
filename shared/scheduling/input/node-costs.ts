import type { NodePool } from '../../model/nodes/node-pool.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../model/settings.ts';

/**
 * The cost of a node of a NodePool besides its instance, in USD per hour. Plans are compared with
 * this cost; reported prices do not contain it.
 */
export type NodeCosts = (pool: NodePool) => number;

/** The cost of the NodePool's annotation, or of the setting. */
export const createNodeCosts =
  ({ perNodeHourlyUsd }: DecisionSettings = DEFAULT_SETTINGS): NodeCosts =>
  (pool) =>
    pool.perNodeHourlyUsd ?? perNodeHourlyUsd;

export const NO_NODE_COSTS: NodeCosts = () => 0;

/** Costs that a construction assumes in order to open fewer or more nodes than the real costs do. */
export const assumeNodeCost =
  (usd: number): NodeCosts =>
  () =>
    usd;

export const scaleNodeCosts =
  (costs: NodeCosts, factor: number): NodeCosts =>
  (pool) =>
    costs(pool) * factor;
