import { Stack } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { OptionsError } from './options/errors.ts';

/** @see AWS Lambda developer guide, "Lambda quotas": all variables of a function together */
const MAX_BYTES = 4_096;
/** The certificate authority of an EKS cluster, PEM in base64. */
const AUTHORITY_BYTES = 1_500;
/** The longest name that CloudFormation gives: that of a queue. */
const MAX_NAME_BYTES = 80;
/** CloudFormation adds two hyphens, 12 characters, and the ending of a FIFO queue to its names. */
const NAME_SUFFIX_BYTES = 19;
/** `https://sqs.<region>.amazonaws.com.cn/<account>/`, or the parts of an ARN before the name. */
const ADDRESS_BYTES = 60;

/** Lambda would refuse the function after minutes, and the whole deployment would be rolled back. */
export function checkEnvironments(scope: Construct): void {
  for (const node of scope.node.findAll()) {
    if (!(node instanceof CfnFunction)) continue;
    const variables = variablesOf(node);
    const bytes = variables.reduce((sum, { size }) => sum + size, 0);
    if (bytes <= MAX_BYTES) continue;
    const [largest] = variables.filter(({ isGiven }) => isGiven).toSorted((one, other) => other.size - one.size);
    throw new OptionsError([
      `The variables of the function ${node.node.path} take about ${bytes} bytes, and Lambda allows ${MAX_BYTES}: shorten the option of ${largest?.name} (${largest?.size} bytes).`,
    ]);
  }
}

interface VariableSize {
  readonly name: string;
  readonly size: number;
  /** True if an option has the value; the authority of a cluster cannot be shorter. */
  readonly isGiven: boolean;
}

function variablesOf(fn: CfnFunction): readonly VariableSize[] {
  const stack = Stack.of(fn);
  const environment: unknown = stack.resolve(fn.environment);
  const variables =
    typeof environment === 'object' && environment !== null && 'variables' in environment
      ? Object.entries(environment.variables ?? {})
      : [];
  return variables.map(([name, value]) => ({
    name,
    size: name.length + sizeOf(name, value, stack.stackName),
    isGiven: typeof value === 'string' && !name.endsWith('_CA'),
  }));
}

/** A value that only the deployment knows is as long as its kind may be. */
function sizeOf(name: string, value: unknown, stackName: string): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (name === 'CLUSTER_CA') return AUTHORITY_BYTES;
  const id = JSON.stringify(value).length;
  const length = Math.min(MAX_NAME_BYTES, stackName.length + id + NAME_SUFFIX_BYTES);
  return /_(?:QUEUE|ARN|SECRET|ADDRESS|ENDPOINT)$/.test(name) ? ADDRESS_BYTES + length : length;
}
