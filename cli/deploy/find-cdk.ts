import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { KnownProblem } from '../errors.ts';

/** The programs that a deployment runs. */
export interface CdkProgram {
  /** The CDK command line, a file that Node.js runs. */
  readonly cli: string;
  /** The app of the stack, a file that Node.js runs. */
  readonly app: string;
}

/** The packages of the CDK, which are larger than all the rest and needed by these verbs alone. */
const PACKAGES = ['aws-cdk', 'aws-cdk-lib', 'constructs'] as const;

/**
 * Finds the CDK where the app will find it: beside the package `mortise`.
 *
 * @param app - the app of the stack
 * @returns the programs, or the problem that names the packages to install
 */
export function findCdk(app: string): CdkProgram | KnownProblem {
  const { resolve } = createRequire(app);
  const folders = PACKAGES.map((name) => [name, tryFolder(resolve, name)] as const);
  const missing = folders.flatMap(([name, folder]) => (folder === undefined ? [name] : []));
  const [[, cli] = []] = folders;
  if (missing.length === 0 && cli !== undefined) return { cli: join(cli, 'bin', 'cdk'), app };
  return {
    code: 'cdk-missing',
    what: `the AWS CDK is not installed: ${missing.join(', ')} not found`,
    where: dirname(app),
    why: 'the package mortise contains its stack, and not the CDK',
    fix: `npm install mortise ${PACKAGES.join(' ')}, then npx mortise`,
  };
}

function tryFolder(resolve: NodeJS.RequireResolve, name: string): string | undefined {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') {
      return undefined;
    }
    throw error;
  }
}
