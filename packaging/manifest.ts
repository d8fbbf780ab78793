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
 * libraries, and only the construct needs the CDK.
 *
 * @param source - the parsed `package.json` of a clone
 */
export const packageManifest = (source: unknown): Readonly<Record<string, unknown>> => ({
  ...sourceSchema.parse(source),
  type: 'module',
  bin: { mortise: 'cli/bin.js' },
  exports: { './cdk': { types: './cdk/types/infra/mortise.d.ts', default: './cdk/index.js' } },
  peerDependencies: { 'aws-cdk-lib': '^2.276.0', constructs: '^10.8.0' },
  // Only the construct needs them.
  peerDependenciesMeta: { 'aws-cdk-lib': { optional: true }, constructs: { optional: true } },
  engines: { node: '>=22' },
  keywords: ['kubernetes', 'eks', 'aws', 'autoscaler', 'karpenter', 'serverless'],
});
