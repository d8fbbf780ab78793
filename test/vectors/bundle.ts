import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';

/** Many cases in one compressed file, with the lists of instance types that they share. */
export interface Bundle<Case> {
  readonly cases: readonly Case[];
  readonly catalogs: (name: string) => unknown;
}

/**
 * @param file - a `.json.gz` file next to the caller
 */
export function readBundle<Case>(file: URL, schema: z.ZodType<Case>): Bundle<Case> {
  const text = gunzipSync(readFileSync(file)).toString('utf8');
  const bundle = z.object({
    cases: z.array(schema),
    catalogs: z.record(z.string(), z.unknown()),
  });
  const { cases, catalogs } = bundle.parse(JSON.parse(text));
  return { cases, catalogs: (name) => catalogs[name] };
}
