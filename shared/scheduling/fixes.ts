import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { normaliseLabelKey } from '../model/labels.ts';
import type { NodePool } from '../model/node-pool.ts';
import type { Fix, PoolRefusal } from '../model/plans.ts';
import type { Pod } from '../model/pod.ts';
import { amountOf, formatAmount, parseQuantity } from '../model/quantity.ts';
import type { Reason } from '../model/reasons.ts';
import type { RequirementSpec } from '../model/requirements.ts';
import { formatTaint, type Taint, untoleratedTaint } from '../model/taints.ts';
import { alternativesOf } from './alternatives.ts';
import { cheapestType } from './drafts.ts';
import { prepare } from './problem.ts';
import { solve } from './solve.ts';

/** A change to one field of one object, and the world with it made. */
interface Proposal extends Omit<Fix, 'hourlyUsd'> {
  readonly snapshot: ClusterSnapshot;
  readonly pod: Pod;
}

/**
 * The cheapest change of a single field with which the pod is placed. Each candidate is tried: a
 * suggestion that was not decided on is none.
 *
 * @param refusals - why each pool refuses the pod, as the plan found it
 */
export function smallestFix(
  pod: Pod,
  refusals: readonly PoolRefusal[],
  snapshot: ClusterSnapshot,
): Fix | undefined {
  const fixes = refusals
    .flatMap(({ pool, reasons }) =>
      reasons.flatMap((reason) => propose(pool, reason, pod, snapshot)),
    )
    .flatMap((proposal) => tried(proposal));
  return fixes.toSorted((a, b) => a.hourlyUsd - b.hourlyUsd || (a.object < b.object ? -1 : 1))[0];
}

function tried({ snapshot, pod, ...change }: Proposal): Fix[] {
  const problem = prepare(snapshot);
  const { unplaced, drafts } = solve(problem, [pod]);
  if (unplaced.size > 0) return [];
  const [draft] = drafts;
  return [{ ...change, hourlyUsd: draft ? cheapestType(draft, problem).hourlyUsd : 0 }];
}

function propose(name: string, reason: Reason, pod: Pod, snapshot: ClusterSnapshot): Proposal[] {
  const pool = snapshot.pools.find((one) => one.name === name);
  if (!pool) return [];
  switch (reason.code) {
    case 'limit-reached':
      return raiseLimit(pool, reason, pod, snapshot);
    case 'taint-not-tolerated':
      return tolerate(pool, pod, snapshot);
    case 'requirement-conflict':
      return widen(pool, reason, pod, snapshot);
    default:
      return [];
  }
}

function raiseLimit(
  pool: NodePool,
  { fields }: Reason,
  pod: Pod,
  snapshot: ClusterSnapshot,
): Proposal[] {
  const { resource = '' } = fields;
  const limit = pool.limits[resource];
  const [used, needed] = [fields.used, fields.needed].map((text) => amountIn(resource, text));
  if (limit === undefined || used === undefined || needed === undefined) return [];
  const to = used + needed;
  return [
    {
      kind: 'raise-limit',
      object: `NodePool/${pool.name}`,
      path: `spec.limits.${resource}`,
      from: formatAmount(resource, limit),
      to: formatAmount(resource, to),
      snapshot: withPool(snapshot, { ...pool, limits: { ...pool.limits, [resource]: to } }),
      pod,
    },
  ];
}

const amountIn = (resource: string, text = ''): number | undefined => {
  const quantity = parseQuantity(text);
  return quantity && amountOf(resource, quantity);
};

function tolerate(pool: NodePool, pod: Pod, snapshot: ClusterSnapshot): Proposal[] {
  const taint = untoleratedTaint(pool.taints, alternativesOf(pod.spec).at(-1)?.tolerations ?? []);
  if (!taint) return [];
  const tolerations = [...pod.spec.tolerations, tolerationOf(taint)];
  return [
    {
      kind: 'add-toleration',
      object: templateHolder(pod),
      path: pod.owner ? 'spec.template.spec.tolerations' : 'spec.tolerations',
      to: formatTaint(taint),
      snapshot,
      pod: { ...pod, spec: { ...pod.spec, tolerations } },
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

/** Adds to an In of the pool what the pod asks for. */
function widen(
  pool: NodePool,
  { fields }: Reason,
  pod: Pod,
  snapshot: ClusterSnapshot,
): Proposal[] {
  const wanted = valuesAsked(pod, fields.key ?? '');
  const index = pool.requirements.findIndex(
    ({ key, operator }) => operator === 'In' && normaliseLabelKey(key) === fields.key,
  );
  const present = pool.requirements[index];
  if (!present || wanted.length === 0) return [];
  const values = [...new Set([...(present.values ?? []), ...wanted])];
  const requirements: RequirementSpec[] = pool.requirements.with(index, { ...present, values });
  return [
    {
      kind: 'allow-values',
      object: `NodePool/${pool.name}`,
      path: `spec.template.spec.requirements[${index}].values`,
      from: `[${(present.values ?? []).join(', ')}]`,
      to: `[${values.join(', ')}]`,
      snapshot: withPool(snapshot, { ...pool, requirements }),
      pod,
    },
  ];
}

function valuesAsked({ spec }: Pod, key: string): readonly string[] {
  for (const { strict } of alternativesOf(spec)) {
    const asked = strict.get(key);
    if (asked && !asked.complement) return [...asked.values];
  }
  return [];
}

const withPool = (snapshot: ClusterSnapshot, pool: NodePool): ClusterSnapshot => ({
  ...snapshot,
  pools: snapshot.pools.map((one) => (one.name === pool.name ? pool : one)),
});
