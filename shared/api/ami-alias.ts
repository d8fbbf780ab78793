import type { EC2NodeClass } from '../model/node-class.ts';
import { quoted, type Refusal, ruleRefused } from './finding.ts';

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

/** EC-29 to EC-31: the grammar `family@version`. */
export function refusalOfAlias(alias: string): Refusal | undefined {
  const refused = (rule: string, why: string) =>
    ruleRefused(rule, `${quoted(alias)} is no AMI alias`, why, 'write al2023@latest, for example');

  const [family = '', version = '', ...more] = alias.split('@');
  if (alias.length > 30) return refused('alias', 'at most 30 characters');
  if (!familyOfAlias(alias)) {
    return refused('EC-29', `families are ${Object.keys(FAMILIES).join(', ')}`);
  }
  if (version === '') return refused('alias', 'a version follows the @');
  if (more.length > 0) return refused('EC-31', 'there is one @');
  if (family.startsWith('windows') && version !== 'latest') {
    return refused('EC-30', 'Windows families have the version latest only');
  }
  return undefined;
}
