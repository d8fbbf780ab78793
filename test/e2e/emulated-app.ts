import { readFileSync, writeFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { MortiseStack } from '../../infra/mortise-stack.ts';
import { readOptions } from '../../infra/options/read-options.ts';
import { stackName } from '../../infra/stack-name.ts';
import { leaveOutUnsupported } from './lab/aws/leave-out.ts';

/**
 * The production stack for an emulator of CloudFormation that does not support all resource types. The
 * context `labConcurrency` allows more concurrent invocations for a queue.
 */
const app = new App();
const options = readOptions((name): unknown => app.node.tryGetContext(name), process.env);
const stack = new MortiseStack(app, stackName(options.cluster), options);
const file = app.synth().getStackByName(stack.stackName).templateFullPath;
const concurrency: unknown = app.node.tryGetContext('labConcurrency');
const limit = concurrency === undefined ? undefined : Number(concurrency);
writeFileSync(file, leaveOutUnsupported(readFileSync(file, 'utf8'), limit));
