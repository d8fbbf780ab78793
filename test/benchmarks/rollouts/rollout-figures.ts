import * as z from 'zod';

/**
 * The change of every NodePool: a label of the template, or the instance families, of which the one with the
 * most nodes is excluded.
 */
export const rolloutChangeSchema = z.enum(['label', 'families']);
export type RolloutChange = z.infer<typeof rolloutChangeSchema>;

/** The figures of one rollout, three hours after the change. */
export const rolloutFiguresSchema = z.object({
  name: z.string(),
  nodesBefore: z.number(),
  nodes: z.number(),
  /** In the cluster that was not changed; after a change of families in a new plan for the same pods. */
  nodesExpected: z.number(),
  /** Most nodes at a time while nodes drifted. */
  peakNodes: z.number(),
  /** The nodes before, those that budgets let leave at the same time, and one more. */
  allowedPeak: z.number(),
  /** The 99th percentile of the waits of pods that started after the change, in milliseconds. */
  waitMs: z.number(),
  waitUnchangedMs: z.number(),
  /** Price per hour against that of the expected nodes, with $0.03 for each node in both. */
  priceRatio: z.number(),
  /** Evictions beyond those of the unchanged cluster, by pods that ran on nodes of changed NodePools. */
  evictionsPerPod: z.number(),
  /** Nodes that were launched after the change and removed within ten minutes with pods on them. */
  shortLived: z.number(),
  /** Minutes until no node drifts; `undefined` if some still do. */
  minutes: z.number().optional(),
});
export type RolloutFigures = z.infer<typeof rolloutFiguresSchema>;
