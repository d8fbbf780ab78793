import * as z from 'zod';

const hourlyUsd = z.number().meta({ description: 'USD' });
const quantities = z.record(z.string(), z.string()).meta({ description: 'Kubernetes quantities' });

const typeSchema = z.object({
  name: z.string(),
  arch: z.string(),
  learned: z.boolean().meta({ description: 'nodes have shown it; else it is reckoned' }),
  capacity: quantities,
  allocatable: quantities,
  labels: z.record(z.string(), z.string()),
  onDemandHourlyUsd: hourlyUsd.exactOptional(),
  spotFrom: z
    .object({ zone: z.string(), hourlyUsd })
    .exactOptional()
    .meta({ description: 'the cheapest zone; absent: none sells it as spot' }),
  offerings: z.array(
    z.object({
      zone: z.string(),
      capacityType: z.enum(['on-demand', 'spot', 'reserved']),
      hourlyUsd: hourlyUsd.exactOptional().meta({ description: 'USD, absent: not priced' }),
    }),
  ),
});

/** The result of `mortise instance-types`. */
export const instanceTypesSchema = z.object({
  region: z.string(),
  nodeClass: z.string(),
  nodePool: z.string().exactOptional(),
  onDemandPricesOf: z.string().exactOptional().meta({ description: 'day of the price list, absent: not priced' }),
  spotPrices: z.enum(['model', 'ec2']).exactOptional().meta({
    description: 'model: made up from on-demand prices; ec2: as EC2 tells them; absent: not priced',
  }),
  total: z.number().int(),
  matching: z.number().int(),
  types: z.array(typeSchema),
  excludedBy: z.record(z.string(), z.number().int()).meta({ description: 'how many, by reason' }),
  excluded: z.array(
    z.object({
      name: z.string(),
      reason: z.object({
        code: z.string(),
        text: z.string(),
        fields: z.record(z.string(), z.string()),
      }),
    }),
  ),
});

export type InstanceTypes = z.infer<typeof instanceTypesSchema>;
