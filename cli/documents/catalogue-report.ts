import * as z from 'zod';

const count = z.number().int();

/** The result of `mortise catalogue`. */
export const catalogueReportSchema = z.object({
  file: z.string(),
  bytes: count,
  region: z.string(),
  at: z.string().meta({ description: 'when EC2 answered' }),
  zones: z.array(
    z.object({
      name: z.string(),
      id: z.string().exactOptional().meta({ description: 'absent: EC2 did not tell it' }),
    }),
  ),
  types: count.meta({ description: 'types that some zone offers' }),
  newerTypes: count.meta({ description: 'types that this release does not know' }),
  onDemandPrices: count.meta({ description: '0: not priced' }),
  spotPrices: count.meta({ description: 'one for each type and zone' }),
});

export type CatalogueReport = z.infer<typeof catalogueReportSchema>;
