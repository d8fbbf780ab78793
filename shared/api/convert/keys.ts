import { holds } from '../admission/cel.ts';
import { keyRules } from '../custom-resources/label-rules.ts';
import { KUBELET_ANNOTATION } from '../keys/annotations.ts';
import { listKeyFaults } from '../runtime-validation/requirement-faults.ts';
import type { ReportMessage } from './message.ts';
import { type Fields, omitFields, toFields, toList, toText } from './written.ts';

/** Label and annotation keys that have been renamed. */
const RENAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'karpenter.sh/provisioner-name': 'karpenter.sh/nodepool',
    'karpenter.sh/do-not-evict': 'karpenter.sh/do-not-disrupt',
    'karpenter.sh/do-not-consolidate': 'karpenter.sh/do-not-disrupt',
  }),
);

/**
 * Hashes are computed again, and the annotations that 1.0 kept for its way back are read elsewhere.
 */
const FORGOTTEN: ReadonlySet<string> = new Set([
  'karpenter.sh/provisioner-hash',
  'karpenter.sh/nodepool-hash',
  'karpenter.sh/nodepool-hash-version',
  'karpenter.k8s.aws/nodetemplate-hash',
  'karpenter.k8s.aws/ec2nodeclass-hash',
  'karpenter.k8s.aws/ec2nodeclass-hash-version',
  KUBELET_ANNOTATION,
  'compatibility.karpenter.sh/v1beta1-nodeclass-reference',
  'compatibility.karpenter.k8s.aws/v1beta1-ubuntu',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

const renamed = (key: string): string => RENAMED.get(key) ?? key;

const withNewKeys = (map: Fields): Fields =>
  Object.fromEntries(
    Object.entries(map)
      .filter(([key]) => !FORGOTTEN.has(key))
      .map(([key, value]) => [renamed(key), value]),
  );

/** Keeps name, labels, annotations and finalizers. The API server sets the rest. */
export function convertMetadata(metadata: Fields): Fields {
  const { name, generateName, labels, annotations, finalizers } = metadata;
  return {
    name,
    generateName,
    labels: withNewKeys(toFields(labels)),
    annotations: withNewKeys(toFields(annotations)),
    finalizers,
  };
}

export const convertAnnotations = (annotations: unknown): Fields => withNewKeys(toFields(annotations));

/** Converts node labels, without those that a NodePool may not set. */
export function convertLabels(labels: unknown, path: string, report: ReportMessage): Fields {
  const entries = Object.entries(toFields(labels)).map(([key, value]) => {
    const allowed = isSettable(renamed(key));
    if (!allowed)
      report(
        'W-05',
        `${path}.${key}`,
        `label dropped: nodes get ${renamed(key)} by themselves, or the label no longer exists`,
      );
    return [renamed(key), value, allowed] as const;
  });
  return Object.fromEntries(entries.flatMap(([key, value, allowed]) => (allowed ? [[key, value]] : [])));
}

/** Converts requirements, without keys that are retired or set anyway. */
export const convertRequirements = (
  requirements: unknown,
  path: string,
  report: ReportMessage,
  on: 'NodePool' | 'NodeClaim' = 'NodePool',
): readonly Fields[] =>
  toList(requirements).flatMap((item, index) => {
    const requirement = toFields(item);
    const key = renamed(toText(requirement.key) ?? '');
    if (isSettable(key, on)) return [{ ...requirement, key }];
    report('W-05', `${path}[${index}].key`, `requirement of ${key} dropped: it cannot be asked for any more`);
    return [];
  });

const isSettable = (key: string, on: 'NodePool' | 'NodeClaim' = 'NodePool'): boolean =>
  keyRules(on).every(({ cel }) => holds(cel, { self: key })) && listKeyFaults('', key, []).length === 0;

/** A taint of the old controller has a new name. */
export const convertTaints = (taints: unknown): readonly Fields[] | undefined =>
  taints === undefined
    ? undefined
    : toList(taints).map((item) => {
        const taint = toFields(item);
        const isOld = taint.key === 'karpenter.sh/disruption' && taint.value === 'disrupting';
        return isOld ? { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' } : taint;
      });

const TAKEN_TAGS: ReadonlySet<string> = new Set([
  '',
  'eks:eks-cluster-name',
  'karpenter.sh/managed-by',
  'karpenter.sh/provisioner-name',
  'karpenter.sh/nodepool',
  'karpenter.sh/nodeclaim',
  'karpenter.k8s.aws/ec2nodeclass',
]);

/** Converts EC2 tags, without those that are written anyway. */
export function convertTags(tags: unknown, report: ReportMessage): Fields | undefined {
  if (tags === undefined) return undefined;
  const taken = Object.keys(toFields(tags)).filter(
    (key) => TAKEN_TAGS.has(key) || key.startsWith('kubernetes.io/cluster'),
  );
  for (const key of taken) report('W-05', `spec.tags.${key}`, 'tag dropped: it is written anyway');
  return omitFields(toFields(tags), taken);
}
