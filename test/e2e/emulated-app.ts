import { App, Aspects, CfnResource, type IAspect } from 'aws-cdk-lib';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { MortiseStack } from '../../infra/mortise-stack.ts';
import { readOptions } from '../../infra/options/read-options.ts';
import { stackName } from '../../infra/stack-name.ts';

/**
 * The stack as it is deployed everywhere, for a CloudFormation that does not know all types. What
 * it refuses becomes a resource that does nothing, under the same logical id.
 */

/** Refused with "Unrecognized resource types". */
const UNKNOWN = new Set([
  'AWS::EKS::AccessEntry',
  'AWS::Logs::QueryDefinition',
  'AWS::CloudWatch::CompositeAlarm',
]);
const NOTHING = 'AWS::CloudFormation::WaitConditionHandle';

const leaveOut: IAspect = {
  visit(node: IConstruct) {
    if (!(node instanceof CfnResource) || !UNKNOWN.has(node.cfnResourceType)) return;
    const { stack } = node;
    const resolved: unknown = stack.resolve(node._toCloudFormation());
    // Kept for whoever stands in for the service.
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
 * Each invocation that runs beside another one is a process on the cores that everything else runs
 * on: as few as a queue may have.
 */
const fewAtOnce: IAspect = {
  visit(node: IConstruct) {
    if (!(node instanceof CfnEventSourceMapping) || node.scalingConfig === undefined) return;
    node.scalingConfig = { maximumConcurrency: 2 };
  },
};

const app = new App();
const options = readOptions((name): unknown => app.node.tryGetContext(name), process.env);
const stack = new MortiseStack(app, stackName(options.cluster), options);
Aspects.of(stack).add(leaveOut);
Aspects.of(stack).add(fewAtOnce);
app.synth();
