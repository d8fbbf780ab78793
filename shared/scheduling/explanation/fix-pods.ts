import type { Reason } from '../../model/explanations/reasons.ts';
import { findSimilarWellKnownLabel } from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { findTemplateOwner, type Pod, type PodSpec, toObjectName } from '../../model/pods/pod.ts';
import { findUntoleratedTaint, formatTaint, type Taint } from '../../model/requirements/taints.ts';
import type { Problem } from '../input/problem.ts';
import { listRelaxations } from '../pods/relaxations.ts';
import { CLAIM_NOT_FOUND } from '../pods/storage-index.ts';
import type { FixProposal } from './fix-proposal.ts';

/** Replaces an unknown label by the similar well-known label. */
export function proposeLabelRename(
  _: NodePool,
  { fields: { key = '' } }: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): FixProposal[] {
  const intended = findSimilarWellKnownLabel(key);
  const [pod] = pods;
  const renamed =
    pod && intended !== undefined ? withRenamedLabel(pod.spec, key, intended) : undefined;
  if (!pod || intended === undefined || !renamed) return [];
  return [
    {
      kind: 'rename-label',
      object: findTemplateOwner(pod),
      path: `${pod.owner ? 'spec.template.spec' : 'spec'}.${renamed.path}`,
      from: key,
      to: intended,
      snapshot,
      pods: pods.map((one) => ({ ...one, spec: renamed.spec })),
    },
  ];
}

function withRenamedLabel(
  spec: PodSpec,
  key: string,
  intended: string,
): { readonly spec: PodSpec; readonly path: string } | undefined {
  const { [key]: value, ...others } = spec.nodeSelector;
  if (value !== undefined) {
    return {
      spec: { ...spec, nodeSelector: { ...others, [intended]: value } },
      path: 'nodeSelector',
    };
  }
  if (!spec.requiredNodeTerms.some((term) => term.some((one) => one.key === key))) return undefined;
  const requiredNodeTerms = spec.requiredNodeTerms.map((term) =>
    term.map((one) => (one.key === key ? { ...one, key: intended } : one)),
  );
  return { spec: { ...spec, requiredNodeTerms }, path: 'affinity.nodeAffinity' };
}

export function proposeToleration(
  pool: NodePool,
  _: Reason,
  pods: readonly Pod[],
  problem: Problem,
): FixProposal[] {
  const [pod] = pods;
  if (!pod) return [];
  const taint = findUntoleratedTaint(
    pool.taints,
    listRelaxations(pod.spec).at(-1)?.tolerations ?? [],
  );
  if (!taint) return [];
  const spec = { ...pod.spec, tolerations: [...pod.spec.tolerations, toToleration(taint)] };
  return [
    {
      kind: 'add-toleration',
      object: findTemplateOwner(pod),
      path: pod.owner ? 'spec.template.spec.tolerations' : 'spec.tolerations',
      to: formatTaint(taint),
      snapshot: problem.snapshot,
      pods: pods.map((one) => ({ ...one, spec })),
    },
  ];
}

const toToleration = ({ key, value, effect }: Taint) =>
  value === undefined
    ? ({ key, effect, operator: 'Exists' } as const)
    : ({ key, value, effect, operator: 'Equal' } as const);

/**
 * Proposes to create the missing PersistentVolumeClaim; its volume is then provisioned where the
 * pod is placed.
 */
export function proposeVolumeClaim(
  _: NodePool,
  { fields: { claim = '', state } }: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): FixProposal[] {
  if (state !== CLAIM_NOT_FOUND) return [];
  const name = toObjectName(claim);
  return [
    {
      kind: 'create-volume-claim',
      object: `PersistentVolumeClaim/${name}`,
      path: 'metadata.name',
      to: claim,
      snapshot,
      pods: pods.map((pod) => ({
        ...pod,
        spec: {
          ...pod.spec,
          volumeClaims: pod.spec.volumeClaims.filter((one) => one !== name),
        },
      })),
    },
  ];
}
