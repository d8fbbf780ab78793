import type { AmiFamily } from '../model/node-class.ts';
import type { BootFacts } from './boot-facts.ts';
import { UserDataError } from './errors.ts';
import { nodeConfigUserData } from './node-config.ts';

/** EC2's limit, before it is put into base64. */
export const MOST_USER_DATA_BYTES = 16_384;

/**
 * What an instance is told when it starts, in the format that its image reads.
 *
 * @throws UserDataError - the user's own cannot be read, or what the family needs is not known
 */
export function userDataOf(family: AmiFamily, facts: BootFacts): string {
  switch (family) {
    case 'AL2023':
      return nodeConfigUserData(facts);
    case 'Custom':
      return facts.custom;
    case 'AL2':
    case 'Bottlerocket':
    case 'Windows2019':
    case 'Windows2022':
      throw new UserDataError(`${family} is to come`);
  }
}
