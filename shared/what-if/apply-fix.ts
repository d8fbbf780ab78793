import type { ExplainedFix } from '../explain/explanation.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../model/labels.ts';
import { withCorrectValue } from '../model/pods/correct-value.ts';
import { findTemplateOwner, type Pod, type PodSpec, podKey, toObjectName } from '../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../model/pods/workload.ts';
import { toResources } from '../model/quantity.ts';
import { formatTaint, type Taint } from '../model/requirements/taints.ts';

/**
 * Returns the snapshot with the change that a fix proposes for pods, their owners, or a
 * PodDisruptionBudget. Pods that run stay on their nodes.
 *
 * @param namespace - of the explained pod; fixes name owners without it
 * @returns undefined for fixes of NodePools, and if there is nothing to change but to wait
 */
export function applyFix(
  snapshot: ClusterSnapshot,
  fix: Pick<ExplainedFix, 'kind' | 'object' | 'path' | 'key' | 'from' | 'to'>,
  namespace: string,
): ClusterSnapshot | undefined {
  switch (fix.kind) {
    case 'add-toleration':
    case 'create-volume-claim':
    case 'reduce-request':
    case 'correct-value':
    case 'rename-label':
      return changePods(snapshot, { ...fix, kind: fix.kind }, namespace);
    case 'change-pdb':
      return changeBudget(snapshot, fix);
    case 'remove-annotation':
      return removeAnnotation(snapshot, fix.object);
    case 'add-label':
    case 'allow-values':
    case 'correct-class':
    case 'drop-requirement':
    case 'enable-consolidation':
    case 'lower-min-values':
    case 'raise-budget':
    case 'raise-limit':
    case 'wait':
      return undefined;
  }
}

interface ChangeOfPods extends Pick<ExplainedFix, 'object' | 'path' | 'key' | 'from' | 'to'> {
  readonly kind: 'add-toleration' | 'correct-value' | 'create-volume-claim' | 'reduce-request' | 'rename-label';
}

function changePods(snapshot: ClusterSnapshot, fix: ChangeOfPods, namespace: string): ClusterSnapshot {
  const isConcerned = (pod: Pod): boolean =>
    pod.namespace === namespace && (fix.kind === 'create-volume-claim' || findTemplateOwner(pod) === fix.object);
  return {
    ...snapshot,
    pods: snapshot.pods.map((pod) => (isConcerned(pod) ? { ...pod, spec: changeSpec(pod.spec, fix, snapshot) } : pod)),
  };
}

function changeSpec(
  spec: PodSpec,
  { kind, object, path, key = '', from = '', to }: ChangeOfPods,
  { pools }: ClusterSnapshot,
): PodSpec {
  switch (kind) {
    case 'add-toleration': {
      const taint = pools.flatMap(({ taints }) => taints).find((candidate) => formatTaint(candidate) === to);
      return taint ? { ...spec, tolerations: [...spec.tolerations, toToleration(taint)] } : spec;
    }
    case 'reduce-request': {
      const resource = path.split('.').at(-1) ?? '';
      return { ...spec, requests: { ...spec.requests, ...toResources({ [resource]: to }) } };
    }
    case 'correct-value':
      return withCorrectValue(spec, key, from, to);
    case 'rename-label':
      return renameLabel(spec, from, to);
    case 'create-volume-claim': {
      const name = toObjectName(object);
      return { ...spec, volumeClaims: spec.volumeClaims.filter((claim) => claim !== name) };
    }
  }
}

const toToleration = ({ key, value, effect }: Taint) =>
  value === undefined
    ? ({ key, effect, operator: 'Exists' } as const)
    : ({ key, value, effect, operator: 'Equal' } as const);

function renameLabel(spec: PodSpec, from: string, to: string): PodSpec {
  const { [from]: value, ...others } = spec.nodeSelector;
  return {
    ...spec,
    nodeSelector: value === undefined ? spec.nodeSelector : { ...others, [to]: value },
    requiredNodeTerms: spec.requiredNodeTerms.map((term) =>
      term.map((one) => (one.key === from ? { ...one, key: to } : one)),
    ),
  };
}

/** One pod may be evicted after the change. */
function changeBudget(
  snapshot: ClusterSnapshot,
  { object, path, to }: Pick<ExplainedFix, 'object' | 'path' | 'to'>,
): ClusterSnapshot {
  const key = object.replace('PodDisruptionBudget/', '');
  const field = path.replace('spec.', '');
  const change = (budget: PodDisruptionBudget): PodDisruptionBudget =>
    podKey(budget) === key ? { ...budget, [field]: to, disruptionsAllowed: 1 } : budget;
  return { ...snapshot, podDisruptionBudgets: snapshot.podDisruptionBudgets.map(change) };
}

function removeAnnotation(snapshot: ClusterSnapshot, object: string): ClusterSnapshot {
  return {
    ...snapshot,
    pods: snapshot.pods.map((pod) => (object === `Pod/${podKey(pod)}` ? freed(pod) : pod)),
    nodes: snapshot.nodes.map((node) => (object === `Node/${node.name}` ? freed(node) : node)),
    claims: snapshot.claims.map((claim) => {
      if (object !== `NodeClaim/${claim.name}`) return claim;
      const { keptByHand: _, ...rest } = claim;
      return rest;
    }),
  };
}

function freed<T extends { readonly annotations: Readonly<Record<string, string>> }>(object: T): T {
  const { [DO_NOT_DISRUPT_ANNOTATION]: _, ...annotations } = object.annotations;
  return { ...object, annotations };
}
