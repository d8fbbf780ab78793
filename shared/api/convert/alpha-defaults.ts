import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  OS_LABEL,
} from '../../model/labels.ts';
import type { Tell } from './message.ts';
import type { Fields } from './written.ts';

const CATEGORY = 'karpenter.k8s.aws/instance-category';
const GENERATION = 'karpenter.k8s.aws/instance-generation';
const SIZING = [INSTANCE_TYPE_LABEL, 'karpenter.k8s.aws/instance-family', CATEGORY, GENERATION];

const USUAL: Readonly<Record<string, string>> = {
  [OS_LABEL]: 'linux',
  [ARCH_LABEL]: 'amd64',
  [CAPACITY_TYPE_LABEL]: 'on-demand',
};

/** What the alpha API asked for where nothing was written. */
export function withAlphaDefaults(
  requirements: readonly Fields[],
  labels: Fields,
  tell: Tell,
): readonly Fields[] {
  const isOpen = (key: string): boolean =>
    !Object.hasOwn(labels, key) && !requirements.some((requirement) => requirement.key === key);
  const added: readonly Fields[] = [
    ...Object.entries(USUAL)
      .filter(([key]) => isOpen(key))
      .map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(SIZING.every(isOpen)
      ? [
          { key: CATEGORY, operator: 'In', values: ['c', 'm', 'r'] },
          { key: GENERATION, operator: 'Gt', values: ['2'] },
        ]
      : []),
  ];
  if (added.length > 0) {
    const keys = added.map(({ key }) => `${key}`).join(', ');
    tell('W-01', 'spec.requirements', `defaults of the old version written out: ${keys}`);
  }
  return [...requirements, ...added];
}
