import type { AmiFamily } from '../../../model/node-class.ts';
import type { BootFacts } from './boot-facts.ts';
import { bootstrapUserData } from './al2-bootstrap.ts';
import { bottlerocketUserData } from './bottlerocket-settings.ts';
import { UserDataError } from './errors.ts';
import { nodeConfigUserData } from './node-config.ts';
import { windowsUserData } from './windows-script.ts';

/** EC2's limit, before it is put into base64. */
const MOST_BYTES = 16_384;

/**
 * What an instance is told when it starts, in the format that its image reads.
 *
 * @throws UserDataError - the user's own cannot be read, what the family needs is not known, or all
 *   of it is more than EC2 takes
 */
export function userDataOf(family: AmiFamily, facts: BootFacts): string {
  const text = FORMATS[family](facts);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MOST_BYTES) {
    const why = `User data is limited to ${MOST_BYTES} bytes, and this is ${bytes}`;
    throw new UserDataError(why, { reason: 'UserDataSizeLimitExceeded' });
  }
  return text;
}

const FORMATS: Readonly<Record<AmiFamily, (facts: BootFacts) => string>> = {
  AL2: bootstrapUserData,
  AL2023: nodeConfigUserData,
  Bottlerocket: bottlerocketUserData,
  Windows2019: windowsUserData,
  Windows2022: windowsUserData,
  Windows2025: windowsUserData,
  Custom: ({ custom }) => custom,
};
