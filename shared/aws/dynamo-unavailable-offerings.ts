import type { UnavailableOffering } from '../model/instance-type.ts';
import type { UnavailableOfferings } from '../ports/unavailable-offerings.ts';
import type { DynamoTable } from './dynamo-table.ts';
import { unavailableOfferingSchema } from './offering-schema.ts';

export function dynamoUnavailableOfferings(table: DynamoTable): UnavailableOfferings {
  return {
    list: (now) => table.listLasting('UnavailableOffering', unavailableOfferingSchema, now),
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
