import * as z from 'zod';
import type {
  CapacityType,
  ComputedReserves,
  InstanceType,
  Offering,
  OfferingReservation,
  TypeOverlay,
  UnavailableOffering,
} from '../model/offerings/instance-type.ts';
import type { NodeOverlay, PriceChange } from '../model/offerings/node-overlay.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { amountsSchema, instantSchema, labelsSchema, requirementSchema } from './field-schemas.ts';

export const capacityTypeSchema = oneOf<CapacityType>({
  'on-demand': 'on-demand',
  spot: 'spot',
  reserved: 'reserved',
});

const reservationSchema = z.looseObject({
  id: z.string(),
  kind: oneOf<OfferingReservation['kind']>({
    default: 'default',
    'capacity-block': 'capacity-block',
  }),
  isInterruptible: z.boolean(),
  free: z.number(),
  nodeClass: z.string().exactOptional(),
} satisfies FieldsOf<OfferingReservation>);

export const offeringSchema: z.ZodType<Offering> = z.looseObject({
  instanceType: z.string(),
  zone: z.string(),
  capacityType: capacityTypeSchema,
  hourlyUsd: z.number(),
  reservation: reservationSchema.exactOptional(),
  commitment: z.string().exactOptional(),
  overlay: z.string().exactOptional(),
} satisfies FieldsOf<Offering>);

/** Drops other fields: a row has keys of its own. */
export const unavailableOfferingSchema: z.ZodType<UnavailableOffering> = z.object({
  instanceType: z.string().exactOptional(),
  zone: z.string().exactOptional(),
  capacityType: capacityTypeSchema.exactOptional(),
  placementGroup: z.string().exactOptional(),
  reservationId: z.string().exactOptional(),
  until: z.number(),
  isShifted: z.literal(true).exactOptional(),
} satisfies FieldsOf<UnavailableOffering>);

export const instanceTypeSchema: z.ZodType<InstanceType> = z.looseObject({
  name: z.string(),
  labels: labelsSchema,
  choices: z.record(z.string(), z.array(z.string())).exactOptional(),
  capacity: amountsSchema,
  allocatable: amountsSchema,
  reserves: z
    .looseObject({
      kubeReserved: labelsSchema.exactOptional(),
      systemReserved: labelsSchema.exactOptional(),
    } satisfies FieldsOf<ComputedReserves>)
    .exactOptional(),
  isLearned: z.literal(true).exactOptional(),
  reservation: z.string().exactOptional(),
  commitment: z.looseObject({ id: z.string(), units: z.number() }).exactOptional(),
  overlay: z
    .looseObject({
      market: z.string().exactOptional(),
      capacity: amountsSchema.exactOptional(),
    } satisfies FieldsOf<TypeOverlay>)
    .exactOptional(),
} satisfies FieldsOf<InstanceType>);

const priceChangeSchema: z.ZodType<PriceChange> = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('set'), usd: z.number() }),
  z.looseObject({ kind: z.literal('add'), usd: z.number() }),
  z.looseObject({ kind: z.literal('scale'), share: z.number() }),
]);

export const nodeOverlaySchema: z.ZodType<NodeOverlay> = z.looseObject({
  name: z.string(),
  uid: z.string(),
  generation: z.number(),
  weight: z.number(),
  requirements: z.array(requirementSchema),
  price: priceChangeSchema.exactOptional(),
  capacity: amountsSchema,
  fault: z.string().exactOptional(),
} satisfies FieldsOf<NodeOverlay>);

/** The times at which something ends or is kept until, by name. */
export const timesByNameSchema = z.record(z.string(), instantSchema);
