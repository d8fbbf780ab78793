import { EC2ServiceException } from '@aws-sdk/client-ec2';
import type { WrittenEC2NodeClass } from '../../api/stored-objects/ec2-node-class.ts';
import { ProfilePropagationError } from '../../model/errors.ts';

export type DryRunVerdict<T> =
  | { readonly outcome: 'allowed'; readonly value: T | undefined }
  | { readonly outcome: 'refused'; readonly reason: string; readonly message: string };

/**
 * Returns EC2's verdict on a dry-run request.
 *
 * @param reason - reason of the condition if the request is denied
 * @throws EC2ServiceException - the error says nothing about the class, such as throttling
 * @throws ProfilePropagationError - IAM has not propagated the instance profile yet
 */
export async function readVerdict<T>(
  reason: string,
  written: WrittenEC2NodeClass,
  call: () => Promise<T>,
): Promise<DryRunVerdict<T>> {
  try {
    return { outcome: 'allowed', value: await call() };
  } catch (error) {
    if (!(error instanceof EC2ServiceException)) throw error;
    // EC2's answer to a dry run that it would accept.
    if (error.name === 'DryRunOperation') return { outcome: 'allowed', value: undefined };
    const refusal = toRefusal(error, reason, written);
    if (!refusal && isProfileUnknown(error.message)) throw new ProfilePropagationError(error.message, { cause: error });
    if (!refusal) throw error;
    return { outcome: 'refused', ...refusal };
  }
}

const DENIED: ReadonlySet<string> = new Set(['UnauthorizedOperation', 'AccessDenied', 'AuthFailure']);

function toRefusal(
  { name, message }: EC2ServiceException,
  reason: string,
  { spec }: WrittenEC2NodeClass,
): { readonly reason: string; readonly message: string } | undefined {
  if (DENIED.has(name)) return { reason, message: `${explainDenial(message)}: ${message}` };
  if (message.includes('User data is limited to')) {
    return { reason: 'UserDataSizeLimitExceeded', message };
  }
  if (!isProfileUnknown(message) || !spec.instanceProfile) return undefined;
  const why = `EC2 knows no instance profile ${spec.instanceProfile}`;
  return { reason: 'InstanceProfileNotFound', message: why };
}

/**
 * EC2 does not know an instance profile for some seconds after Mortise has created it.
 *
 * @see Karpenter's AWS provider, `IsInstanceProfileNotFound`
 */
const isProfileUnknown = (message: string): boolean => message.includes('Invalid IAM Instance Profile name');

/** The message of IAM names the policy type that denied the request. */
function explainDenial(message: string): string {
  if (message.includes('permissions boundary')) return 'a permissions boundary denies it';
  if (message.includes('service control policy')) return 'a service control policy denies it';
  return 'no policy allows it';
}
