import * as z from 'zod';
import { readBundle } from '../../vectors/bundle.ts';

/** The sizes in which Karpenter's own benchmark is timed beside Karpenter. */
export const KARPENTER_BENCHMARK_SIZES = [10, 50, 100, 200, 400, 1_000, 5_000, 10_000] as const;

/** A case as it is written in a file, for programs that read case files. */
export type CaseDocument = z.output<typeof documentSchema>;

const documentSchema = z.looseObject({
  name: z.string(),
  catalog: z.string(),
  pods: z.array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) })),
});

const recordedSchema = z.looseObject({ name: z.string(), topic: z.string() });

/**
 * Lists Karpenter's own benchmark in all sizes. Sizes that were not recorded are the first pods of
 * each kind of a recorded one, so that every size has a fifth of each kind.
 */
export function listKarpenterBenchmark(): {
  readonly cases: readonly CaseDocument[];
  readonly catalogs: (name: string) => unknown;
} {
  const { cases, catalogs } = readBundle(new URL('../data/scheduling.json.gz', import.meta.url), recordedSchema);
  const recorded = cases.filter(({ topic }) => topic === 'bench').map((one) => documentSchema.parse(one));
  return {
    catalogs,
    cases: KARPENTER_BENCHMARK_SIZES.flatMap((size) => {
      const source = recorded.find(({ pods }) => pods.length >= size);
      return source ? [withSize(source, size)] : [];
    }),
  };
}

function withSize(source: CaseDocument, size: number): CaseDocument {
  const { expected: _, ...situation } = source;
  if (source.pods.length === size) return situation;
  const kinds = Map.groupBy(source.pods, ({ metadata }) => metadata.name.replace(/-\d+$/, ''));
  const pods = [...kinds.values()].flatMap((kind) => kind.slice(0, size / kinds.size));
  return { ...situation, name: `bench-${size}`, pods };
}
