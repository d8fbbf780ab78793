import { AMI_FAMILIES } from './objects/ami-terms.ts';

export type WrittenAmiFamily = (typeof AMI_FAMILIES)[number];

/** The family that `al2023@latest` stands for. */
export function familyOfAlias(alias: string): WrittenAmiFamily | undefined {
  const [name = ''] = alias.split('@');
  // There is no image of one's own behind a name of AWS.
  return AMI_FAMILIES.find((family) => family !== 'Custom' && family.toLowerCase() === name);
}
