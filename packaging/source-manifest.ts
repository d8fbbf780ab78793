import { readFile } from 'node:fs/promises';
import * as z from 'zod';

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  description: z.string(),
  devDependencies: z.object({
    node: z.string(),
    'aws-cdk': z.string(),
    'aws-cdk-lib': z.string(),
    constructs: z.string(),
  }),
});

/** The fields of a clone's `package.json` that releases are built from. */
export type SourceManifest = z.output<typeof manifestSchema>;

export async function readSourceManifest(): Promise<SourceManifest> {
  const file = new URL('../package.json', import.meta.url);
  return manifestSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}
