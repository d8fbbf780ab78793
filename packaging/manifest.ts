import { z } from 'zod';

/** The fields that the published package takes over from the `package.json` of a clone. */
const sourceSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  description: z.string(),
});

const PEERS = { 'aws-cdk': '^2.1148.0', 'aws-cdk-lib': '^2.276.0', constructs: '^10.8.0' };

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
  // Only the construct and `mortise deploy` need them.
  peerDependencies: PEERS,
  peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((name) => [name, { optional: true }])),
  engines: { node: '>=22' },
  keywords: ['kubernetes', 'eks', 'aws', 'autoscaler', 'karpenter', 'serverless'],
});
