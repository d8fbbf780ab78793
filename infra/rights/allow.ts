import { Stack, Validations } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

/** Policy statements, with the reason why each wildcard in them is needed. */
export interface Right {
  readonly statements: readonly PolicyStatement[];
  /** Undefined without wildcards: the checks of the app then reject one. */
  readonly wildcardReason?: string;
}

/** Grants the rights to each function and acknowledges each wildcard with its reason. */
export function allow(fns: readonly LambdaFunction[], ...rights: readonly Right[]): void {
  for (const fn of fns) {
    for (const right of rights) {
      for (const statement of right.statements) {
        fn.addToRolePolicy(statement);
        if (right.wildcardReason === undefined) continue;
        acceptWildcards(fn.role ?? fn, statement, right.wildcardReason);
      }
    }
  }
}

/** Acknowledges the wildcards of a statement below the holder. */
export function acceptWildcards(holder: IConstruct, { resources }: PolicyStatement, reason: string): void {
  for (const resource of resources.filter((name) => name.endsWith('*'))) {
    const id = `AwsSolutions-IAM5[Resource::${asChecked(Stack.of(holder).resolve(resource))}]`;
    Validations.of(holder).acknowledge({ id, reason });
  }
}

/** Formats a resource as cdk-nag does: values known only at deployment stand in angle brackets. */
function asChecked(part: unknown): string {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(asChecked).join('');

  const [[kind, value] = []] = Object.entries(part ?? {});
  if (kind === 'Fn::Join' && Array.isArray(value)) return asChecked(value[1]);
  if (kind === 'Fn::GetAtt' && Array.isArray(value)) return `<${value.join('.')}>`;
  return `<${String(value)}>`;
}
