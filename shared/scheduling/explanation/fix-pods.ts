import { similarWellKnownLabel } from '../../model/labels.ts';
import type { NodePool } from '../../model/node-pool.ts';
import type { Pod, PodSpec } from '../../model/pod.ts';
import type { Reason } from '../../model/reasons.ts';
import { formatTaint, type Taint, untoleratedTaint } from '../../model/taints.ts';
import { alternativesOf } from '../pods/relaxations.ts';
import { CLAIM_NOT_FOUND } from '../pods/storage-index.ts';
import type { Problem } from '../input/problem.ts';
import type { Proposal } from './fix-proposal.ts';

/** The well-known label that was meant, in place of one that nothing has. */
export function renameLabel(
  _: NodePool,
  { fields: { key = '' } }: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): Proposal[] {
  const meant = similarWellKnownLabel(key);
  const [pod] = pods;
  const renamed = pod && meant !== undefined ? labelRenamed(pod.spec, key, meant) : undefined;
  if (!pod || meant === undefined || !renamed) return [];
  return [
    {
      kind: 'rename-label',
      object: templateHolder(pod),
      path: `${pod.owner ? 'spec.template.spec' : 'spec'}.${renamed.path}`,
      from: key,
      to: meant,
      snapshot,
      pods: pods.map((one) => ({ ...one, spec: renamed.spec })),
    },
  ];
}

function labelRenamed(
  spec: PodSpec,
  key: string,
  meant: string,
): { readonly spec: PodSpec; readonly path: string } | undefined {
  const { [key]: value, ...others } = spec.nodeSelector;
  if (value !== undefined) {
    return { spec: { ...spec, nodeSelector: { ...others, [meant]: value } }, path: 'nodeSelector' };
  }
  if (!spec.requiredNodeTerms.some((term) => term.some((one) => one.key === key))) return undefined;
  const requiredNodeTerms = spec.requiredNodeTerms.map((term) =>
    term.map((one) => (one.key === key ? { ...one, key: meant } : one)),
  );
  return { spec: { ...spec, requiredNodeTerms }, path: 'affinity.nodeAffinity' };
}

export function tolerate(
  pool: NodePool,
  _: Reason,
  pods: readonly Pod[],
  problem: Problem,
): Proposal[] {
  const [pod] = pods;
  if (!pod) return [];
  const taint = untoleratedTaint(pool.taints, alternativesOf(pod.spec).at(-1)?.tolerations ?? []);
  if (!taint) return [];
  const spec = { ...pod.spec, tolerations: [...pod.spec.tolerations, tolerationOf(taint)] };
  return [
    {
      kind: 'add-toleration',
      object: templateHolder(pod),
      path: pod.owner ? 'spec.template.spec.tolerations' : 'spec.tolerations',
      to: formatTaint(taint),
      snapshot: problem.snapshot,
      pods: pods.map((one) => ({ ...one, spec })),
    },
  ];
}

/** The object whose pod template a person edits: for a Deployment's pod the Deployment. */
function templateHolder({ owner, name, labels }: Pod): string {
  if (!owner) return `Pod/${name}`;
  const suffix = `-${labels['pod-template-hash'] ?? ''}`;
  return owner.kind === 'ReplicaSet' && suffix !== '-' && owner.name.endsWith(suffix)
    ? `Deployment/${owner.name.slice(0, -suffix.length)}`
    : `${owner.kind}/${owner.name}`;
}

const tolerationOf = ({ key, value, effect }: Taint) =>
  value === undefined
    ? ({ key, effect, operator: 'Exists' } as const)
    : ({ key, value, effect, operator: 'Equal' } as const);

/** The claim of a volume that nobody has made: with it, its volume is made where the pod goes. */
export function createVolumeClaim(
  _: NodePool,
  { fields: { claim = '', state } }: Reason,
  pods: readonly Pod[],
  { snapshot }: Problem,
): Proposal[] {
  if (state !== CLAIM_NOT_FOUND) return [];
  const name = claim.slice(claim.indexOf('/') + 1);
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
