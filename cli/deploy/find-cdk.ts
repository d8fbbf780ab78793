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

/** An app needs these by itself. They are larger than all the rest of the package, and few verbs need them. */
const LIBRARIES = ['aws-cdk-lib', 'constructs'];
const PACKAGES = ['aws-cdk', ...LIBRARIES];

/**
 * Finds the CDK where the app will find it: beside the package of `mortise`.
 *
 * @param app - the app of the stack
 * @returns the programs, or the problem that names the packages to install
 */
export function findCdk(app: string): CdkProgram | KnownProblem {
  const problem = findMissingPackages(app, PACKAGES);
  return problem ?? { cli: join(findFolder(app, 'aws-cdk') ?? '', 'bin', 'cdk'), app };
}

/** Finds what an app lacks that runs without the command line of the CDK. */
export const findMissingLibraries = (app: string): KnownProblem | undefined => findMissingPackages(app, LIBRARIES);

function findMissingPackages(app: string, packages: readonly string[]): KnownProblem | undefined {
  const missing = packages.filter((name) => findFolder(app, name) === undefined);
  if (missing.length === 0) return undefined;
  const isClone = app.endsWith('.ts');
  return {
    code: 'cdk-missing',
    what: `the AWS CDK is not installed: ${missing.join(', ')} not found`,
    where: dirname(app),
    ...(isClone
      ? { why: 'it is a development dependency, which --omit=dev leaves out', fix: 'npm ci' }
      : {
          why: 'the package of mortise contains its stack, and not the CDK',
          fix: `npm install ${packages.join(' ')}, in the folder where mortise is installed`,
        }),
  };
}

function findFolder(app: string, name: string): string | undefined {
  try {
    return dirname(createRequire(app).resolve(`${name}/package.json`));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') {
      return undefined;
    }
    throw error;
  }
}
