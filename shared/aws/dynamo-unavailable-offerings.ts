import { z } from 'zod';
import type { UnavailableOffering } from '../model/instance-type.ts';
import type { UnavailableOfferings } from '../ports/unavailable-offerings.ts';
import type { DynamoTable } from './dynamo-table.ts';

const offeringSchema: z.ZodType<UnavailableOffering> = z.object({
  instanceType: z.string().exactOptional(),
  zone: z.string().exactOptional(),
  capacityType: z.enum(['on-demand', 'spot', 'reserved']).exactOptional(),
  until: z.number(),
});

export function dynamoUnavailableOfferings(table: DynamoTable): UnavailableOfferings {
  return {
    list: (now) => table.listLasting('UnavailableOffering', offeringSchema, now),
    async add(offerings) {
      await Promise.all(
        offerings.map((offering) => {
          const { until, ...matched } = offering;
          return table.putLasting('UnavailableOffering', nameOf(offering), matched, until);
        }),
      );
    },
  };
}

const nameOf = ({ instanceType, zone, capacityType }: UnavailableOffering): string =>
  [instanceType, zone, capacityType].map((part) => part ?? '*').join('#');
