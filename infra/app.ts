import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { MortiseStack } from './mortise-stack.ts';
import { OptionsError } from './options/errors.ts';
import { readOptions } from './options/read-options.ts';
import { stackName } from './stack-name.ts';

/** CDK passes the context through unchecked. */
const namesIn = (context: unknown): readonly string[] =>
  typeof context === 'object' && context !== null ? Object.keys(context) : [];

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

try {
  const options = readOptions(
    (name): unknown => app.node.tryGetContext(name),
    process.env,
    namesIn(app.node.getAllContext()),
  );
  new MortiseStack(app, stackName(options.cluster), options);
} catch (error) {
  if (!(error instanceof OptionsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
