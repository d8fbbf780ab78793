import { Stack } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { OptionsError } from './options/errors.ts';

/** @see AWS Lambda developer guide, "Lambda quotas": all variables of a function together */
const MAX_BYTES = 4_096;
/** A value that only the deployment knows: the URL of a queue, an ARN or a name. */
const UNKNOWN_BYTES = 150;
/** The certificate authority of an EKS cluster, PEM in base64. */
const AUTHORITY_BYTES = 1_500;

/** Lambda would refuse the function after minutes, and the whole deployment would be rolled back. */
export function checkEnvironments(scope: Construct): void {
  for (const node of scope.node.findAll()) {
    if (!(node instanceof CfnFunction)) continue;
    const variables = variablesOf(node);
    const bytes = variables.reduce((sum, { size }) => sum + size, 0);
    if (bytes <= MAX_BYTES) continue;
    const [largest] = variables.toSorted((one, other) => other.size - one.size);
    throw new OptionsError([
      `The variables of the function ${node.node.path} take about ${bytes} bytes, and Lambda allows ${MAX_BYTES}: shorten the option of ${largest?.name} (${largest?.size} bytes).`,
    ]);
  }
}

interface VariableSize {
  readonly name: string;
  readonly size: number;
}

function variablesOf(fn: CfnFunction): readonly VariableSize[] {
  const environment: unknown = Stack.of(fn).resolve(fn.environment);
  const variables =
    typeof environment === 'object' && environment !== null && 'variables' in environment
      ? Object.entries(environment.variables ?? {})
      : [];
  return variables.map(([name, value]) => ({ name, size: name.length + sizeOf(name, value) }));
}

const sizeOf = (name: string, value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return name === 'CLUSTER_CA' ? AUTHORITY_BYTES : UNKNOWN_BYTES;
};
