import type { AmiFamily } from '../../../model/nodes/node-class.ts';
import { buildAl2UserData } from './al2-bootstrap.ts';
import { type BootFacts, UserDataError } from './boot-facts.ts';
import { buildBottlerocketUserData } from './bottlerocket-settings.ts';
import { buildAl2023UserData } from './node-config.ts';
import { buildWindowsUserData } from './windows-script.ts';

/** EC2's limit, before base64. */
const MAX_BYTES = 16_384;

/**
 * Builds the user data of an instance in the format of its AMI family.
 *
 * @throws UserDataError - the custom user data cannot be parsed, a fact about the cluster is
 *   missing, or the result exceeds EC2's limit
 */
export function buildUserData(family: AmiFamily, facts: BootFacts): string {
  const text = BUILDERS[family](facts);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MAX_BYTES) {
    const why = `User data is limited to ${MAX_BYTES} bytes, and this is ${bytes}`;
    throw new UserDataError(why, { reason: 'UserDataSizeLimitExceeded' });
  }
  return text;
}

const BUILDERS: Readonly<Record<AmiFamily, (facts: BootFacts) => string>> = {
  AL2: buildAl2UserData,
  AL2023: buildAl2023UserData,
  Bottlerocket: buildBottlerocketUserData,
  Windows2019: buildWindowsUserData,
  Windows2022: buildWindowsUserData,
  Windows2025: buildWindowsUserData,
  Custom: ({ custom }) => custom,
};
