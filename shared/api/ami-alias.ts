import type { EC2NodeClass } from '../model/node-class.ts';

/** `Windows2025` is accepted by the API; nodes of it are not planned yet. */
export type WrittenAmiFamily = EC2NodeClass['amiFamily'] | 'Windows2025';

const FAMILIES: Readonly<Record<string, WrittenAmiFamily>> = {
  al2: 'AL2',
  al2023: 'AL2023',
  bottlerocket: 'Bottlerocket',
  windows2019: 'Windows2019',
  windows2022: 'Windows2022',
  windows2025: 'Windows2025',
};

/** The family that `al2023@latest` stands for. */
export const familyOfAlias = (alias: string): WrittenAmiFamily | undefined => {
  const [name = ''] = alias.split('@');
  return Object.hasOwn(FAMILIES, name) ? FAMILIES[name] : undefined;
};
