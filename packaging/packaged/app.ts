import { App } from 'aws-cdk-lib';
import { addStack } from '../../infra/add-stack.ts';

/** The app that `mortise deploy` runs: one stack, for the cluster that the context names. */
const app = new App({ context: { '@aws-cdk/aws-iam:minimizePolicies': true } });
addStack(app);
