import type { App } from 'aws-cdk-lib';
import { MortiseStack } from './mortise-stack.ts';
import { OptionsError } from './options/errors.ts';
import { readOptions } from './options/read-options.ts';
import { stackName } from './stack-name.ts';

/**
 * Adds the stack of the cluster that the context names. If an option is wrong, prints one sentence
 * per problem, makes the process fail, and returns nothing.
 */
export function addStack(app: App): MortiseStack | undefined {
  try {
    const options = readOptions(
      (name): unknown => app.node.tryGetContext(name),
      process.env,
      namesIn(app.node.getAllContext()),
    );
    return new MortiseStack(app, stackName(options.cluster), options);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    return undefined;
  }
}

/** CDK passes the context through unchecked. */
const namesIn = (context: unknown): readonly string[] =>
  typeof context === 'object' && context !== null ? Object.keys(context) : [];
