import * as z from 'zod';
import type { Commitment } from '../model/offerings/commitment.ts';
import {
  type DecisionSettings,
  type FeatureGates,
  MIN_VALUES_POLICIES,
  PREFERENCE_POLICIES,
  REBALANCE_POLICIES,
  type SizeSettings,
  SURPLUS_NODE_POLICIES,
} from '../model/settings.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { instantSchema } from './field-schemas.ts';
import { topologySpreadSchema } from './pod-schema.ts';

const gatesSchema = z.looseObject({
  ReservedCapacity: z.boolean(),
  NodeRepair: z.boolean(),
  TerminateFirstDrift: z.boolean().default(false),
  TerminateFirstRepair: z.boolean().default(false),
  SpotToSpotConsolidation: z.boolean(),
  NodeOverlay: z.boolean(),
  StaticCapacity: z.boolean(),
  CapacityBuffer: z.boolean(),
  NodeClassCEL: z.boolean(),
  RebootForRepair: z.boolean().default(false),
} satisfies FieldsOf<FeatureGates>);

export const commitmentSchema: z.ZodType<Commitment> = z.looseObject({
  id: z.string(),
  unit: oneOf<Commitment['unit']>({
    instances: 'instances',
    'normalized-units': 'normalized-units',
    usd: 'usd',
  }),
  amount: z.number(),
  instanceType: z.string().exactOptional(),
  family: z.string().exactOptional(),
  zone: z.string().exactOptional(),
  priceShare: z.number().exactOptional(),
  endsAt: instantSchema.exactOptional(),
} satisfies FieldsOf<Commitment>);

export const decisionSettingsSchema: z.ZodType<DecisionSettings> = z.looseObject({
  gates: gatesSchema,
  preferencePolicy: z.enum(PREFERENCE_POLICIES),
  minValuesPolicy: z.enum(MIN_VALUES_POLICIES),
  ignoreDraRequests: z.boolean(),
  perNodeHourlyUsd: z.number().min(0),
  consolidationPaybackMs: z.union([z.number().min(0), z.literal('Any')]).exactOptional(),
  evictionCostUsd: z.number().min(0).exactOptional(),
  rankedEvictionCostUsd: z.number().min(0).exactOptional(),
  growthWindowMs: z.number().min(0).exactOptional(),
  steerPods: z.boolean().exactOptional(),
  surplusNodes: z.enum(SURPLUS_NODE_POLICIES).exactOptional(),
  defaultSpread: z.array(topologySpreadSchema).exactOptional(),
  sizes: z.looseObject({
    memoryOverhead: z.number().min(0),
    reservedEnis: z.int().min(0),
  } satisfies FieldsOf<SizeSettings>),
  commitments: z.array(commitmentSchema).exactOptional(),
  legacyNodeRepair: z.literal(true).exactOptional(),
  rebalancePolicy: z.enum(REBALANCE_POLICIES).exactOptional(),
} satisfies FieldsOf<DecisionSettings>);
