import * as z from 'zod';
import { changeFields, reasonSchema } from './simulation.ts';

const usd = z.number().meta({ description: 'USD' });

const fixSchema = z.object({
  kind: z.string(),
  object: z.string().meta({ description: 'empty: nothing has to change' }),
  path: z.string(),
  key: z.string().exactOptional().meta({ description: 'a label or an annotation' }),
  ...changeFields,
  hourlyUsd: usd.meta({ description: 'USD per hour; negative: a saving' }),
  text: z.string(),
  patch: z.string().exactOptional().meta({ description: 'a kubectl command, or YAML' }),
  verified: z.literal(true).meta({ description: 'the decision was made again with the change' }),
});

const common = {
  verdict: z.string(),
  evidence: z.array(z.object({ label: z.string(), text: z.string() })),
  fix: fixSchema.exactOptional().meta({ description: 'absent: up to three changes do not help' }),
  otherFixes: z.array(fixSchema),
  next: z.object({ text: z.string(), at: z.string().exactOptional() }),
  decision: z.string().exactOptional().meta({ description: 'absent: decided for this explanation' }),
  basis: z
    .object({
      at: z.string(),
      text: z.string().meta({ description: 'what was decided, and since then' }),
    })
    .exactOptional()
    .meta({ description: 'the decision that the answer is from; absent without a record' }),
};

const alternative = z
  .object({
    hourlyUsd: usd.exactOptional().meta({ description: 'USD, absent: not priced' }),
    savingUsd: usd.exactOptional().meta({ description: 'USD, absent: not priced' }),
    text: z.string(),
  })
  .exactOptional()
  .meta({ description: 'the cluster without the node' });

export const podExplanationSchema = z.object({
  pod: z.string(),
  outcome: z.enum(['pending', 'waiting', 'held', 'runs', 'leaving']),
  pools: z
    .array(z.object({ name: z.string(), reasons: z.array(reasonSchema) }))
    .meta({ description: 'the closest first, without those that the pod does not select' }),
  equalPods: z
    .array(z.string())
    .exactOptional()
    .meta({ description: 'other pods with the same answer; absent without any' }),
  ...common,
});

const outcomeOfNode = z.enum(['starting', 'stays', 'goes', 'leaving', 'not-ours']);
const reasons = z.array(reasonSchema);

export const nodeExplanationSchema = z.object({
  node: z.string(),
  outcome: outcomeOfNode,
  reasons,
  alternative,
  ...common,
});

export const nodeClaimExplanationSchema = z.object({
  nodeclaim: z.string(),
  outcome: outcomeOfNode,
  reasons,
  alternative,
  ...common,
});

export const nodePoolExplanationSchema = z.object({
  nodepool: z.string(),
  outcome: z.enum(['ready', 'not-ready']),
  reasons,
  ...common,
});

export const explanationsSchema = z.object({
  explanations: z.array(
    z.union([podExplanationSchema, nodeExplanationSchema, nodeClaimExplanationSchema, nodePoolExplanationSchema]),
  ),
});

export const pendingPodsSchema = z.object({ pods: z.array(podExplanationSchema) });
