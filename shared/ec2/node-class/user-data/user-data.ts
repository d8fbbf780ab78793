import type { AmiFamily } from '../../../model/nodes/node-class.ts';
import { buildAl2UserData } from './al2-bootstrap.ts';
import { type BootFacts, UserDataError } from './boot-facts.ts';
import { buildBottlerocketUserData } from './bottlerocket-settings.ts';
import { buildAl2023UserData } from './node-config.ts';
import { buildWindowsUserData } from './windows-script.ts';

/** EC2's limit, before it is put into base64. */
const MAX_BYTES = 16_384;

/**
 * What an instance is told when it starts, in the format that its image reads.
 *
 * @throws UserDataError - the user's own cannot be read, what the family needs is not known, or all
 *   of it is more than EC2 takes
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
