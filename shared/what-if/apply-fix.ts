import type { ExplainedFix } from '../explain/explanation.ts';
import { findIndex } from '../explain/patches.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../model/labels.ts';
import {
  withCorrectAffinity,
  withMinDomains,
  withoutSelector,
  withPreferredRule,
  withRenamedLabel,
} from '../model/pods/changed-rules.ts';
import { withCorrectValue } from '../model/pods/correct-value.ts';
import { findTemplateOwner, type Pod, type PodSpec, podKey, toObjectName } from '../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../model/pods/workload.ts';
import { toResources } from '../model/quantity.ts';
import { formatTaint, type Taint } from '../model/requirements/taints.ts';
import { changePools } from './change-pools.ts';
import { poolWithFix } from './pool-with-fix.ts';

type Change = Pick<ExplainedFix, 'kind' | 'object' | 'path' | 'key' | 'from' | 'to'>;

/**
 * Returns the snapshot with the changes that a fix proposes for NodePools, pods, their owners, or a
 * PodDisruptionBudget. Pods that run stay on their nodes.
 *
 * @param namespace - of the explained pod; fixes name owners without it
 * @returns undefined for fixes of EC2NodeClasses and StorageClasses, and if there is nothing to change but to wait
 */
export const applyFix = (
  snapshot: ClusterSnapshot,
  { and = [], ...change }: Change & Pick<ExplainedFix, 'and'>,
  namespace: string,
): ClusterSnapshot | undefined =>
  [change, ...and].reduce<ClusterSnapshot | undefined>(
    (changed, one) => changed && applyChange(changed, one, namespace),
    snapshot,
  );

function applyChange(snapshot: ClusterSnapshot, change: Change, namespace: string): ClusterSnapshot | undefined {
  const { kind, object } = change;
  if (kind === 'change-pdb') return changeBudget(snapshot, change);
  if (kind === 'remove-annotation') return removeAnnotation(snapshot, object);
  if (kind === 'add-node-pool') return addUntaintedPool(snapshot, change);
  if (isChangeOfPods(change)) return changePods(snapshot, change, namespace);
  const pool = snapshot.pools.find(({ name }) => object === `NodePool/${name}`);
  const changed = pool && poolWithFix(pool, change);
  return changed && { ...snapshot, pools: snapshot.pools.map((one) => (one === pool ? changed : one)) };
}

const KINDS_OF_PODS = [
  'add-toleration',
  'correct-value',
  'create-volume-claim',
  'drop-selector',
  'lower-min-domains',
  'prefer-rule',
  'reduce-request',
  'rename-label',
  'rename-resource',
] as const;

interface ChangeOfPods extends Change {
  readonly kind: (typeof KINDS_OF_PODS)[number];
}

const isChangeOfPods = (change: Change): change is ChangeOfPods => KINDS_OF_PODS.some((kind) => kind === change.kind);

/** The copy launches what the NodePool launches. */
function addUntaintedPool(snapshot: ClusterSnapshot, { from = '', to }: Change): ClusterSnapshot | undefined {
  const pool = snapshot.pools.find(({ name }) => name === from);
  const copy = pool && { ...pool, name: to, uid: to, taints: [] };
  return copy && changePools(snapshot, { pools: [copy], nodeClasses: [] });
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
      return path.endsWith('podAffinity')
        ? withCorrectAffinity(spec, key, from, to)
        : withCorrectValue(spec, key, from, to);
    case 'rename-label':
      return withRenamedLabel(spec, from, to)?.spec ?? spec;
    case 'rename-resource': {
      const { [from]: requested = 0, ...requests } = spec.requests;
      return { ...spec, requests: { ...requests, [to]: requested } };
    }
    case 'lower-min-domains':
      return withMinDomains(spec, findIndex(path), Number(to));
    case 'drop-selector':
      return withoutSelector(spec, key);
    case 'prefer-rule':
      return withPreferredRule(spec, path);
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
