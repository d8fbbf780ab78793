import * as z from 'zod';
import type { NodeClassState, StoppedRollout } from '../model/nodes/drift.ts';
import type {
  NodeImage,
  NodePlacementGroup,
  NodeReservation,
  NodeSecurityGroup,
  NodeSubnet,
} from '../model/nodes/resolved-node-class.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { instantSchema, requirementSchema } from './field-schemas.ts';

export const subnetSchema = z.looseObject({
  id: z.string(),
  zone: z.string(),
  zoneId: z.string().exactOptional(),
  freeAddresses: z.number(),
} satisfies FieldsOf<NodeSubnet>);

export const securityGroupSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
} satisfies FieldsOf<NodeSecurityGroup>);

export const imageSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  deprecated: z.boolean(),
  createdAt: instantSchema,
  requirements: z.array(requirementSchema),
} satisfies FieldsOf<NodeImage>);

export const reservationSchema = z.looseObject({
  id: z.string(),
  zone: z.string(),
  instanceType: z.string(),
  ownerId: z.string(),
  matchCriteria: oneOf<NodeReservation['matchCriteria']>({ open: 'open', targeted: 'targeted' }),
  kind: oneOf<NodeReservation['kind']>({ default: 'default', 'capacity-block': 'capacity-block' }),
  isInterruptible: z.boolean(),
  endsAt: instantSchema.exactOptional(),
  freeInstances: z.number(),
} satisfies FieldsOf<NodeReservation>);

export const placementGroupSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  strategy: oneOf<NodePlacementGroup['strategy']>({
    cluster: 'cluster',
    partition: 'partition',
    spread: 'spread',
  }),
  partitions: z.number().exactOptional(),
} satisfies FieldsOf<NodePlacementGroup>);

/** Fields of a `StoppedRollout`, for rows of the state table and for decision records. */
export const stoppedRolloutFields = {
  nodeClass: z.string(),
  version: z.string(),
  claim: z.string(),
  why: z.string(),
  at: instantSchema,
} satisfies FieldsOf<StoppedRollout>;

export const nodeClassStateSchema: z.ZodType<NodeClassState> = z.looseObject({
  name: z.string(),
  subnets: z.array(subnetSchema),
  securityGroups: z.array(securityGroupSchema),
  images: z.array(imageSchema),
  reservations: z.array(reservationSchema).exactOptional(),
  placementGroup: placementGroupSchema.exactOptional(),
  hash: z.string(),
  stopped: z.looseObject(stoppedRolloutFields).exactOptional(),
} satisfies FieldsOf<NodeClassState>);
