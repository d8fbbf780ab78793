import { ARCH_LABEL, INSTANCE_TYPE_LABEL } from '../../model/labels.ts';
import { correctWords } from '../../model/nearest-word.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { toRequirements } from '../../model/requirements/requirements.ts';
import { listBits } from '../data-structures/bitset.ts';
import type { Problem } from '../input/problem.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
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
export function listMissingKinds({ name }: NodePool, pods: readonly Pod[], problem: Problem): MissingKinds {
  const template = problem.nodeTemplates.find(({ pool }) => pool.name === name);
  return template ? listMissingKindsOf([template], pods, problem) : new Map();
}

/** The same for several NodePools that the pods can choose between. */
export function listMissingKindsOf(
  templates: readonly NodeClaimTemplate[],
  [pod]: readonly Pod[],
  { typeIndex }: Problem,
): MissingKinds {
  const all = typeIndex.types;
  const present = templates.flatMap(({ types }) => listBits(types).flatMap((type) => typeIndex.types[type] ?? []));
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

/** Keys of requirements that choose instances by what they are, not by their size, place or price. */
const IDENTITY_KEYS: readonly string[] = [
  ARCH_LABEL,
  INSTANCE_TYPE_LABEL,
  'karpenter.k8s.aws/instance-family',
  'karpenter.k8s.aws/instance-cpu-manufacturer',
];

/**
 * Lists the architectures that NodePools without types exclude by a requirement: `m5` has amd64 only, also if it is
 * misspelt as `M5`.
 */
export function listExcludedArchitectures(
  pools: readonly NodePool[],
  [pod]: readonly Pod[],
  problem: Problem,
): MissingKinds | undefined {
  const all = [...listValues(problem.typeIndex.types, ARCH_LABEL)];
  const chosen = pools.map(({ requirements }) =>
    requirements
      .filter(({ key }) => IDENTITY_KEYS.includes(key))
      .map((requirement) => listArchitecturesOf(requirement, problem))
      .filter((values) => values.size > 0),
  );
  const excluded = all.filter((arch) => chosen.every((sets) => sets.some((values) => !values.has(arch))));
  return asksForArchitecture(pod) || excluded.length === 0 ? undefined : new Map([[ARCH_LABEL, excluded]]);
}

/** Lists the architectures of the types that meet a requirement, with the nearest value for each unknown one. */
function listArchitecturesOf(requirement: RequirementSpec, { typeIndex }: Problem): ReadonlySet<string> {
  const { key, values = [] } = requirement;
  const corrected = correctWords(values, listValues(typeIndex.types, key));
  const spec = { ...requirement, ...(values.length > 0 && { values: corrected }) };
  const types = listBits(typeIndex.matching(toRequirements([spec]))).flatMap((type) => typeIndex.types[type] ?? []);
  return listValues(types, ARCH_LABEL);
}

/** Lists the architectures that only some of the NodePools have, if all are reserved for other pods. */
export function listSomeArchitectures(
  [pod]: readonly Pod[],
  { typeIndex, nodeTemplates }: Problem,
): MissingKinds | undefined {
  const byPool = nodeTemplates.map(({ types }) =>
    listValues(
      listBits(types).flatMap((type) => typeIndex.types[type] ?? []),
      ARCH_LABEL,
    ),
  );
  const some = [...new Set(byPool.flatMap((values) => [...values]))].filter((arch) =>
    byPool.some((values) => !values.has(arch)),
  );
  return some.length === 0 || asksForArchitecture(pod) ? undefined : new Map([[ARCH_LABEL, some]]);
}

const asksForArchitecture = (pod: Pod | undefined): boolean =>
  pod !== undefined && listFullyRelaxed(pod.spec).some(({ requirements }) => requirements.has(ARCH_LABEL));

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
