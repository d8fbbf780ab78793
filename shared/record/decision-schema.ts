import * as z from 'zod';
import { commandSchema } from '../model-schema/command-schema.ts';
import type { FieldsOf } from '../model-schema/exact-schema.ts';
import { poolBackoffFields } from '../model-schema/pool-backoff-schema.ts';
import type {
  CapState,
  CapUse,
  HeldBackNodes,
  HeldBackPods,
  ProvisioningBackoffs,
  Redacted,
  SetAsideNode,
  SetAsidePods,
} from '../ports/decision-log.ts';
import type { PlannerPause } from '../ports/planning-state.ts';
import { RECORD_VERSION } from './decision-document.ts';
import { packedSnapshotSchema } from './packed-snapshot-schema.ts';

const backoffSchema = z.looseObject(poolBackoffFields);

const pauseSchema = z.looseObject({
  failures: z.number(),
  until: z.number(),
} satisfies FieldsOf<PlannerPause>);

const provisioningInputSchema = z.looseObject({
  kind: z.literal('provisioning'),
  snapshot: packedSnapshotSchema,
  backoffs: z.looseObject({
    registration: z.array(backoffSchema),
    launch: z.array(backoffSchema),
    placement: z.array(backoffSchema),
  } satisfies FieldsOf<ProvisioningBackoffs>),
  caps: z.looseObject({
    launchesPerMinute: z.number(),
    hourlyUsd: z.number(),
    maxNodes: z.number().exactOptional(),
    peak: z.number().exactOptional(),
    use: z.looseObject({
      launches: z.number(),
      usd: z.number(),
      nodes: z.number(),
    } satisfies FieldsOf<CapUse>),
  } satisfies FieldsOf<CapState>),
  anticipate: z.boolean(),
  heldBack: z
    .looseObject({
      deferred: z.array(z.string()),
      setAside: z.array(
        z.looseObject({
          pods: z.array(z.string()),
          failures: z.number(),
          until: z.number(),
        } satisfies FieldsOf<SetAsidePods>),
      ),
      pause: pauseSchema.exactOptional(),
    } satisfies FieldsOf<HeldBackPods>)
    .exactOptional(),
});

const disruptionInputSchema = z.looseObject({
  kind: z.literal('disruption'),
  snapshot: packedSnapshotSchema,
  running: z.array(commandSchema),
  proposal: commandSchema.exactOptional(),
  quietUntil: z.number().exactOptional(),
  heldBack: z
    .looseObject({
      deferred: z.array(z.string()),
      setAside: z.array(
        z.looseObject({
          claim: z.string(),
          failures: z.number(),
          until: z.number(),
        } satisfies FieldsOf<SetAsideNode>),
      ),
      pause: pauseSchema.exactOptional(),
      pools: z.array(z.string()).exactOptional(),
    } satisfies FieldsOf<HeldBackNodes>)
    .exactOptional(),
});

/** The inputs of decisions. */
export const decisionInputSchemas = [provisioningInputSchema, disruptionInputSchema] as const;

/** A decision as it is stored: `decisions/<day>/<id>.json.gz`. */
export const decisionDocumentSchema = z.looseObject({
  apiVersion: z.literal(RECORD_VERSION),
  kind: z.literal('Decision'),
  /** The release of Mortise that decided. */
  release: z.string(),
  id: z.string(),
  at: z.number(),
  tookMs: z.number().exactOptional(),
  redacted: z.looseObject({ samePlan: z.boolean() } satisfies FieldsOf<Redacted>).exactOptional(),
  decision: z.enum(['provisioning', 'disruption', 'confirmation']),
  /** The number of equal decisions without effect since the last record of this kind. */
  unrecorded: z.number().exactOptional(),
  input: z.discriminatedUnion('kind', decisionInputSchemas),
  plan: z.record(z.string(), z.unknown()),
});
