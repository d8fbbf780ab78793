import { z } from 'zod';

/** The fields that the published package takes over from the `package.json` of a clone. */
const sourceSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  description: z.string(),
});

/**
 * The `package.json` of the published package. It has no dependencies: the command contains its
 * libraries.
 *
 * @param source - the parsed `package.json` of a clone
 */
export const packageManifest = (source: unknown): Readonly<Record<string, unknown>> => ({
  ...sourceSchema.parse(source),
  type: 'module',
  bin: { mortise: 'cli/bin.js' },
  engines: { node: '>=22' },
  keywords: ['kubernetes', 'eks', 'aws', 'autoscaler', 'karpenter', 'serverless'],
});
