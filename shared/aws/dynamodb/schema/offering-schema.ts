import * as z from 'zod';
import type {
  CapacityType,
  Offering,
  UnavailableOffering,
} from '../../../model/offerings/instance-type.ts';
import { oneOf } from '../../exact-schema.ts';

export const capacityTypeSchema = oneOf<CapacityType>({
  'on-demand': 'on-demand',
  spot: 'spot',
  reserved: 'reserved',
});

export const offeringSchema: z.ZodType<Offering> = z.object({
  instanceType: z.string(),
  zone: z.string(),
  capacityType: capacityTypeSchema,
  hourlyUsd: z.number(),
});

export const unavailableOfferingSchema: z.ZodType<UnavailableOffering> = z.object({
  instanceType: z.string().exactOptional(),
  zone: z.string().exactOptional(),
  capacityType: capacityTypeSchema.exactOptional(),
  placementGroup: z.string().exactOptional(),
  until: z.number(),
});
