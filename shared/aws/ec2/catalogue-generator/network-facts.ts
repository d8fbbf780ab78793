import { z } from 'zod';
import type { BundleColumn, NetworkFacts } from './reduce-type.ts';

/** Looks up facts about networking by instance type, in the sources that were given. */
export type FindNetworkFacts = (instanceType: string) => NetworkFacts;

const bandwidthSchema = z.object({
  mbps: z.record(z.string(), z.number()),
  /** Types whose published bandwidth is a word ("Moderate"), which a label cannot express. */
  vague: z.record(z.string(), z.string()),
});

/**
 * Interfaces, IPv4 addresses per interface, trunking (0 or 1), branch interfaces, and further
 * columns, as the VPC CNI publishes them.
 */
const vpcLimitsSchema = z.object({
  types: z.record(z.string(), z.tuple([z.number(), z.number(), z.number(), z.number()]).rest(z.unknown())),
});

const bundledSchema = z.object({ columns: z.array(z.string()), types: z.array(z.string()) });

/**
 * Returns the baseline bandwidth by type; 0 if only a word is published.
 *
 * @throws z.ZodError
 */
export function parseBandwidth(json: unknown): ReadonlyMap<string, number> {
  const { mbps, vague } = bandwidthSchema.parse(json);
  const published = Object.entries(mbps);
  return new Map([...published, ...Object.keys(vague).map((name) => [name, 0] as const)]);
}

/**
 * Returns the branch interfaces and the interfaces of the first card by type.
 *
 * @throws z.ZodError
 */
export function parseVpcLimits(json: unknown): ReadonlyMap<string, NetworkFacts> {
  const { types } = vpcLimitsSchema.parse(json);
  return new Map(
    Object.entries(types).map(([name, [enis, , trunking, branchEnis, , , cards]]) => {
      const [firstCard] = z.array(z.number()).optional().parse(cards) ?? [enis];
      return [name, { branchEnis: trunking ? branchEnis : 0, cardEnis: firstCard }];
    }),
  );
}

/**
 * Reads the same facts from the file of the previous run.
 *
 * @throws z.ZodError
 */
export function parseBundled(json: unknown): ReadonlyMap<string, NetworkFacts> {
  const { columns, types } = bundledSchema.parse(json);
  const at = (cells: readonly string[], column: BundleColumn): number => Number(cells[columns.indexOf(column)] ?? 0);
  return new Map(
    types.map((row) => {
      const cells = row.split('|');
      return [
        cells[columns.indexOf('name')] ?? '',
        {
          networkMbps: at(cells, 'networkMbps'),
          branchEnis: at(cells, 'branchEnis'),
          cardEnis: at(cells, 'cardEnis'),
        },
      ];
    }),
  );
}
