import * as z from 'zod';

const usd = z.number().meta({ description: 'USD' });
const ms = z.number().int().meta({ description: 'milliseconds' });
const sinceStartMs = ms.meta({
  description: 'milliseconds since the simulation began; negative: before it',
});
const share = z.number().meta({ description: '0 to 1' });

export const reasonSchema = z.object({
  code: z.string(),
  emitter: z.string(),
  text: z.string(),
  fields: z.record(z.string(), z.string()),
});

/** Fields of a fix that simulations and explanations share. */
export const changeFields = {
  operator: z.string().exactOptional().meta({ description: 'of the requirement' }),
  from: z.string().exactOptional(),
  to: z.string(),
  launches: z.string().exactOptional().meta({ description: 'the nodes that the pods then get, as `2 m5.xlarge spot`' }),
  adds: z
    .array(z.string())
    .readonly()
    .exactOptional()
    .meta({ description: 'kinds of instances that only the change allows, as `arm64`' }),
  replacedNodes: z.number().exactOptional().meta({ description: 'nodes that drift by the change' }),
  and: z
    .array(
      z.object({
        kind: z.string(),
        object: z.string(),
        path: z.string(),
        key: z.string().exactOptional(),
        operator: z.string().exactOptional(),
        from: z.string().exactOptional(),
        to: z.string(),
        replacedNodes: z.number().exactOptional(),
      }),
    )
    .readonly()
    .exactOptional()
    .meta({ description: 'changes that are needed besides; absent: one is enough' }),
};

export const fixSchema = z.object({
  object: z.string(),
  path: z.string(),
  key: z.string().exactOptional().meta({ description: 'the label of a requirement' }),
  ...changeFields,
  hourlyUsd: usd,
  text: z.string(),
});

const unplacedSchema = z.object({
  pod: z.string(),
  reasons: z.array(reasonSchema),
  fix: fixSchema.exactOptional().meta({ description: 'absent: up to three changes do not help' }),
  otherFixes: z.array(fixSchema).exactOptional().meta({ description: 'others that help' }),
});

const nodeSchema = z.object({
  claim: z.string(),
  pool: z.string(),
  type: z.string(),
  zone: z.string(),
  capacityType: z.enum(['on-demand', 'spot', 'reserved']),
  hourlyUsd: usd.exactOptional().meta({ description: 'USD, absent: not priced' }),
  launchedAtMs: sinceStartMs,
  removedAtMs: sinceStartMs.exactOptional().meta({ description: 'absent: it runs at the end' }),
  pods: z.array(z.string()).meta({ description: 'as they stand at the end, or when it went' }),
});

/** The result of `mortise simulate`. A missing field means unknown, never 0. */
export const simulationSchema = z.object({
  seed: z.number().int(),
  simulatedMs: ms,
  pods: z.object({
    total: z.number().int(),
    ran: z.number().int(),
    unplaced: z.array(unplacedSchema),
    waitMs: z.object({ p50: ms, p99: ms }).exactOptional(),
  }),
  nodes: z.array(nodeSchema),
  costUsd: usd.exactOptional().meta({ description: 'without what commitments pay for, absent: not priced' }),
  coveredUsd: usd.exactOptional().meta({
    description: 'on-demand price of instances that commitments pay for, absent: there are none',
  }),
  boundUsd: usd.exactOptional().meta({ description: 'no set of nodes could have cost less, absent: not priced' }),
  repackedUsd: usd.exactOptional().meta({
    description: 'if all pods were packed anew each hour, absent: shorter than an hour',
  }),
  requested: z.object({ cpu: share, memory: share }),
  moves: z.object({
    consolidations: z.number().int(),
    drifts: z.number().int(),
    expirations: z.number().int(),
    interruptions: z.number().int(),
  }),
  capped: z.object({ firstAtMs: sinceStartMs, nodes: z.number().int(), text: z.string() }).exactOptional().meta({
    description: 'launches that a cap held back, absent: none. nodes: the most at a time',
  }),
  evictionsPerPodDay: z.number().exactOptional(),
  nodeLifetimeMs: z
    .object({ p50: ms, p10: ms })
    .exactOptional()
    .meta({ description: 'of the nodes that were removed, absent: none was' }),
});

export type Simulation = z.infer<typeof simulationSchema>;
export type SimulatedNode = Simulation['nodes'][number];
export type UnplacedPod = Simulation['pods']['unplaced'][number];
export type FixDocument = z.infer<typeof fixSchema>;
export type ReasonDocument = z.infer<typeof reasonSchema>;
