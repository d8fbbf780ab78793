import { App, CfnParameter, DefaultStackSynthesizer } from 'aws-cdk-lib';
import { addStack } from './add-stack.ts';

const parameter = (name: string): string => `\${${name}}`;

/** The interface of the CDK does not allow the undefined values that its classes declare. */
class CodeSynthesizer extends DefaultStackSynthesizer {
  override get bootstrapQualifier(): string {
    return super.bootstrapQualifier ?? '';
  }

  override get lookupRole(): string {
    return super.lookupRole ?? '';
  }

  override get cloudFormationExecutionRole(): string {
    return super.cloudFormationExecutionRole ?? '';
  }
}

/**
 * The app of `mortise template`: a template that CloudFormation and Terraform deploy without the
 * CDK. It needs no bootstrap; its parameters say where the code of the functions is.
 */
const app = new App({
  context: { '@aws-cdk/aws-iam:minimizePolicies': true },
  defaultStackSynthesizer: new CodeSynthesizer({
    fileAssetsBucketName: parameter('CodeBucket'),
    bucketPrefix: parameter('CodePrefix'),
    generateBootstrapVersionRule: false,
  }),
});
const stack = addStack(app);
if (stack) {
  new CfnParameter(stack, 'CodeBucket', {
    description: 'The S3 bucket with the archives of the folder code, in the region of the stack',
    minLength: 3,
  });
  new CfnParameter(stack, 'CodePrefix', {
    description: 'What the keys of the archives begin with, such as mortise/',
    default: '',
    allowedPattern: '(.*/)?',
    constraintDescription: 'empty, or ends with a slash',
  });
}
