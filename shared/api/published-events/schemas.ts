import * as z from 'zod';
import type { CapacityType } from '../../model/offerings/instance-type.ts';
import { EVENT_SOURCE, type PublishedKind } from '../../model/published-events/kinds.ts';
import {
  DETAIL_VERSION,
  type DetailOf,
  MAX_MESSAGE_LENGTH,
  MAX_NAMES,
  type PodsWaitingDetail,
  type PublishedDisruption,
} from '../../model/published-events/published-event.ts';

/** Fields that a type has and the schema lacks do not compile. */
type FieldsOf<T> = { readonly [K in keyof Required<T>]: z.ZodType };

const instant = z.iso.datetime();
const pods = z
  .array(z.string().regex(/^[^/]+\/[^/]+$/))
  .max(MAX_NAMES)
  .meta({ description: `The first ${MAX_NAMES} pods, as \`namespace/name\`.` });
const podCount = z.int().min(0).meta({ description: 'The number of pods.' });
const nodeClaim = z.string().meta({ description: 'The name of the NodeClaim.' });

const facts = {
  version: z.literal(DETAIL_VERSION).meta({ description: 'The version of this form.' }),
  cluster: z.string().meta({ description: 'The name of the EKS cluster.' }),
  at: instant.meta({ description: 'When it happened.' }),
  message: z
    .string()
    .max(MAX_MESSAGE_LENGTH)
    .meta({ description: 'One sentence for people. Match on other fields: its words may change.' }),
};

const nodeLaunched = z.looseObject({
  ...facts,
  nodeClaim,
  instanceType: z.string().meta({ description: 'Such as `m7g.large`.' }),
  zone: z.string().meta({ description: 'The availability zone.' }),
  capacityType: z.enum(['on-demand', 'spot', 'reserved'] satisfies CapacityType[]),
  hourlyUsd: z.number().meta({ description: 'The price in USD per hour.' }),
  pods,
  podCount,
  replaces: z
    .array(z.string())
    .max(MAX_NAMES)
    .meta({
      description: `The first ${MAX_NAMES} NodeClaims that it replaces. Empty if it replaces none.`,
    }),
} satisfies FieldsOf<DetailOf<'NodeLaunched'>>);

const nodeDisrupted = z.looseObject({
  ...facts,
  nodeClaim,
  reason: z
    .enum([
      'Empty',
      'Underutilized',
      'Drifted',
      'Interrupted',
      'Expired',
      'Unhealthy',
      'RegistrationTimeout',
    ] satisfies PublishedDisruption[])
    .meta({ description: 'Why the node is removed.' }),
  cause: z.string().exactOptional().meta({
    description:
      'The reason of the drift (`AMIDrift`) or the interruption (`spot_interrupted`), or the condition of an unhealthy node.',
  }),
  deadline: instant.exactOptional().meta({ description: 'When EC2 ends the instance.' }),
} satisfies FieldsOf<DetailOf<'NodeDisrupted'>>);

const launchRefused = z.looseObject({
  ...facts,
  nodeClaim,
  reason: z.string().meta({
    description: 'Why EC2 refuses, as in the condition `Launched` of the NodeClaim.',
  }),
} satisfies FieldsOf<DetailOf<'LaunchRefused'>>);

const podsWaiting = z.looseObject({
  ...facts,
  reason: z.enum(['NoNodePoolFits', 'NodesNotUsed', 'PlanningFailed'] satisfies PodsWaitingDetail['reason'][]).meta({
    description:
      '`NodesNotUsed`: nodes were launched for the pods, and kube-scheduler bound none to them. `PlanningFailed`: the planner ended without a plan each time that it planned the pods.',
  }),
  pods,
  podCount,
} satisfies FieldsOf<DetailOf<'PodsWaiting'>>);

const capReached = z.looseObject({
  ...facts,
  cap: z
    .enum(['launchesPerMinute', 'maxHourlyUsd', 'maxNodes'] satisfies DetailOf<'CapReached'>['cap'][])
    .meta({ description: 'The option that sets the limit.' }),
  limit: z.number().meta({ description: 'The value of the option, or its default.' }),
  nodes: z.int().min(0).meta({ description: 'The number of nodes that are held back.' }),
  pods,
  podCount,
} satisfies FieldsOf<DetailOf<'CapReached'>>);

const rolloutStopped = z.looseObject({
  ...facts,
  nodeClass: z.string().meta({ description: 'The name of the EC2NodeClass.' }),
  nodeClaim,
} satisfies FieldsOf<DetailOf<'RolloutStopped'>>);

/** The schemas of `detail`. Fields that they do not name are allowed: later releases may add some. */
export const DETAIL_SCHEMAS = {
  NodeLaunched: nodeLaunched,
  NodeDisrupted: nodeDisrupted,
  LaunchRefused: launchRefused,
  PodsWaiting: podsWaiting,
  CapReached: capReached,
  RolloutStopped: rolloutStopped,
} as const satisfies { readonly [K in PublishedKind]: z.ZodType<DetailOf<K>> };

/** Builds the JSON Schema of an event as rules and targets receive it, without the fields of AWS. */
export const buildEventJsonSchema = (kind: PublishedKind): object =>
  z.toJSONSchema(
    z.looseObject({
      source: z.literal(EVENT_SOURCE),
      'detail-type': z.literal(kind),
      detail: DETAIL_SCHEMAS[kind],
    }),
  );
