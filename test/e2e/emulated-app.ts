import { readFileSync, writeFileSync } from 'node:fs';
import { App, Aspects, CfnResource, type IAspect } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { MortiseStack } from '../../infra/mortise-stack.ts';
import { readOptions } from '../../infra/options/read-options.ts';
import { stackName } from '../../infra/stack-name.ts';

/**
 * The production stack for an emulator of CloudFormation that does not support all resource types.
 * An unsupported resource becomes one without effect under the same logical id.
 */

/** The emulator refuses these with "Unrecognized resource types". */
const UNKNOWN = new Set([
  'AWS::EKS::AccessEntry',
  'AWS::Logs::QueryDefinition',
  'AWS::CloudWatch::CompositeAlarm',
]);
const NOTHING = 'AWS::CloudFormation::WaitConditionHandle';

/** The emulator knows alarms, but not those over several metrics. */
const isUnknown = (node: CfnResource): boolean =>
  UNKNOWN.has(node.cfnResourceType) || (node instanceof CfnAlarm && node.metrics !== undefined);

const leaveOut: IAspect = {
  visit(node: IConstruct) {
    if (!(node instanceof CfnResource) || !isUnknown(node)) return;
    const { stack } = node;
    const resolved: unknown = stack.resolve(node._toCloudFormation());
    // The lab reads these properties where it replaces the service.
    node.addMetadata('LeftOut', propertiesIn(resolved, stack.resolve(node.logicalId)));
    node.addOverride('Type', NOTHING);
    node.addDeletionOverride('Properties');
  },
};

function propertiesIn(template: unknown, logicalId: unknown): unknown {
  const read = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).find(([k]) => k === key)?.[1]
      : undefined;
  const resource = read(read(template, 'Resources'), String(logicalId));
  return { Type: read(resource, 'Type'), Properties: read(resource, 'Properties') };
}

/**
 * Each concurrent invocation is a process on the cores that everything else uses, so queues get the
 * minimum concurrency.
 */
const fewAtOnce: IAspect = {
  visit(node: IConstruct) {
    if (!(node instanceof CfnEventSourceMapping) || node.scalingConfig === undefined) return;
    node.scalingConfig = { maximumConcurrency: 2 };
  },
};

/** A resource without effect has no attributes: the ARN of an access entry becomes a plain text. */
function withoutAttributes(file: string): void {
  const arn = `arn:aws:eks:us-east-1:000000000000:access-entry/${options.cluster}/role/left-out`;
  const template = readFileSync(file, 'utf8');
  const attribute = /\{\s*"Fn::GetAtt":\s*\[\s*"\w+",\s*"AccessEntryArn"\s*\]\s*\}/g;
  writeFileSync(file, template.replace(attribute, JSON.stringify(arn)));
}

const app = new App();
const options = readOptions((name): unknown => app.node.tryGetContext(name), process.env);
const stack = new MortiseStack(app, stackName(options.cluster), options);
Aspects.of(stack).add(leaveOut);
Aspects.of(stack).add(fewAtOnce);
withoutAttributes(app.synth().getStackByName(stack.stackName).templateFullPath);
