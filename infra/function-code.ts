import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

const FUNCTIONS = fileURLToPath(new URL('../functions', import.meta.url));
const BUNDLE_INTO = fileURLToPath(new URL('bundling/bundle-into.ts', import.meta.url));
/** Always the same folder: source maps contain paths relative to it, and the code's hash covers them. */
const BUNDLES = fileURLToPath(new URL('dist/', import.meta.url));

let bundled = false;

/**
 * Returns the code of a function. The first call bundles all functions, in about three seconds.
 *
 * @param entry - the function's folder below `functions/`
 */
export function functionCode(scope: Construct, entry: string): Code {
  // The CDK sets this for commands that need no code, such as `cdk ls`.
  if (!Stack.of(scope).bundlingRequired) return Code.fromAsset(join(FUNCTIONS, entry));
  if (!bundled) execFileSync(process.execPath, [BUNDLE_INTO, BUNDLES], { stdio: 'inherit' });
  bundled = true;
  return Code.fromAsset(join(BUNDLES, entry));
}
