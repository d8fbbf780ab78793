import { ARCH_LABEL } from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { listBits } from '../data-structures/bitset.ts';
import type { Problem } from '../input/problem.ts';
import type { NewNode } from '../packing/new-nodes/new-node.ts';
import { listFullyRelaxed } from '../pods/relaxations.ts';

const CATEGORY_LABEL = 'karpenter.k8s.aws/instance-category';

/**
 * Kinds of instances that a workload notices: an image runs on one architecture, a driver on the devices of one
 * maker, and the CPU of burstable types is limited.
 */
const KINDS: readonly { readonly key: string; readonly isKind: (value: string) => boolean }[] = [
  { key: ARCH_LABEL, isKind: () => true },
  { key: CATEGORY_LABEL, isKind: (value) => value === 't' },
  { key: 'karpenter.k8s.aws/instance-gpu-manufacturer', isKind: () => true },
  { key: 'karpenter.k8s.aws/instance-accelerator-manufacturer', isKind: () => true },
];

/** The kinds of types that a NodePool of the pods does not have now, as values of labels. */
export type MissingKinds = ReadonlyMap<string, readonly string[]>;

/**
 * Lists the kinds that the NodePool's types do not have, among all types of its class. Kinds that the pods ask
 * for themselves are left out, and makers of devices if the NodePool has no devices.
 */
export function listMissingKinds(
  { name }: NodePool,
  [pod]: readonly Pod[],
  { nodeTemplates, typeIndex, snapshot }: Problem,
): MissingKinds {
  const template = nodeTemplates.find(({ pool }) => pool.name === name);
  const all = ownValue(snapshot.instanceTypes, name) ?? [];
  if (!template) return new Map();
  const present = listBits(template.types).flatMap((type) => typeIndex.types[type] ?? []);
  const relaxations = pod ? listFullyRelaxed(pod.spec) : [];
  const requestedKeys = relaxations.flatMap(({ requirements }) => [...requirements.keys()]);
  return new Map(
    KINDS.flatMap(({ key, isKind }) => {
      const own = listValues(present, key);
      if (requestedKeys.includes(key) || own.size === 0) return [];
      const missing = [...listValues(all, key)].filter((one) => !own.has(one) && isKind(one));
      return missing.length > 0 ? [[key, missing] as const] : [];
    }),
  );
}

const listValues = (types: readonly InstanceType[], key: string): ReadonlySet<string> =>
  new Set(types.flatMap(({ labels }) => ownValue(labels, key) ?? []));

/** Requirements that keep these kinds out. */
export const excludeKinds = (kinds: MissingKinds): readonly RequirementSpec[] =>
  [...kinds].map(([key, values]) => ({ key, operator: 'NotIn', values }));

/** Lists the kinds that the new nodes may have, for a sentence: `arm64`, `burstable`. */
export const listAddedKinds = (
  newNodes: readonly NewNode[],
  kinds: MissingKinds,
  { typeIndex }: Problem,
): readonly string[] => {
  const types = new Set(newNodes.flatMap((one) => listBits(one.types)));
  return nameKinds(
    [...types].flatMap((type) => typeIndex.types[type] ?? []),
    kinds,
  );
};

/** Lists those of the kinds that the types are. */
export function nameKinds(types: readonly InstanceType[], kinds: MissingKinds): readonly string[] {
  const names = [...kinds].flatMap(([key, missing]) => {
    const values = listValues(types, key);
    return missing.filter((value) => values.has(value)).map((value) => (key === CATEGORY_LABEL ? 'burstable' : value));
  });
  return [...new Set(names)].toSorted();
}
