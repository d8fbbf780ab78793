import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { similarWellKnownLabel } from '../../model/labels.ts';
import type { NodePool } from '../../model/node-pool.ts';
import type { Fix, PoolRefusal, ProvisioningPlan } from '../../model/plans.ts';
import type { Pod, PodSpec } from '../../model/pod.ts';
import { formatAmount } from '../../model/quantity.ts';
import type { Reason, ReasonCode } from '../../model/reasons.ts';
import { NODES } from '../../model/resources.ts';
import { formatTaint, type Taint, untoleratedTaint } from '../../model/taints.ts';
import { cheapestType } from '../packing/drafts.ts';
import { alternativesOf } from '../pods/alternatives.ts';
import { type Problem, prepare } from '../problem.ts';
import { solve } from '../solve.ts';
import { at, toResources } from '../vectors.ts';
import { afterPlan } from './after-plan.ts';
import { allowCheapest, type Proposal, widen, withPool } from './fix-values.ts';

/** Each candidate costs a decision of its own: nobody reads more at once. */
const MOST_FIXES = 20;

/**
 * Finds changes that let pods run which `plan` leaves without a place, once what it does place is
 * there. The first of many groups of pods get an answer.
 */
export function fixFinder(
  problem: Problem,
  plan: Pick<ProvisioningPlan, 'claims' | 'placements'>,
): (pods: readonly Pod[], refusals: readonly PoolRefusal[]) => Fix | undefined {
  let asked = 0;
  let afterwards: Problem | undefined;
  return (pods, refusals) => {
    asked += 1;
    if (asked > MOST_FIXES) return undefined;
    const { snapshot } = problem;
    const isIdle = plan.claims.length === 0 && plan.placements.length === 0;
    afterwards ??= isIdle ? problem : prepare(afterPlan(snapshot, plan));
    return smallestFix(pods, refusals, afterwards);
  };
}

/**
 * The cheapest change of a single field with which all of the pods are placed. Each candidate is
 * tried: a suggestion that was not decided on is none.
 *
 * @param pods - equal pods that the plan left without a place
 * @param refusals - why each pool refuses them, as the plan found it
 */
function smallestFix(
  pods: readonly Pod[],
  refusals: readonly PoolRefusal[],
  problem: Problem,
): Fix | undefined {
  const fixes = refusals
    .flatMap(({ pool, reasons }) =>
      reasons.flatMap((reason) => propose(pool, reason, pods, problem)),
    )
    .flatMap(tried);
  return fixes.toSorted((a, b) => a.hourlyUsd - b.hourlyUsd || (a.object < b.object ? -1 : 1))[0];
}

function tried({ snapshot, pods, ...change }: Proposal): Fix[] {
  const problem = prepare(snapshot);
  const { unplaced, drafts } = solve(problem, pods);
  if (unplaced.size > 0) return [];
  const hourlyUsd = drafts.reduce(
    (total, draft) => total + cheapestType(draft, problem).hourlyUsd,
    0,
  );
  return [{ ...change, hourlyUsd }];
}

function propose(name: string, reason: Reason, pods: readonly Pod[], problem: Problem): Proposal[] {
  const pool = problem.snapshot.pools.find((one) => one.name === name);
  if (!pool) return [];
  return REMEDIES[reason.code]?.(pool, reason, pods, problem) ?? [];
}

type Remedy = (
  pool: NodePool,
  reason: Reason,
  pods: readonly Pod[],
  problem: Problem,
) => Proposal[];

/** To what the pool uses, and what all of the pods would add if nothing limited it. */
function raiseLimit(
  pool: NodePool,
  { fields }: Reason,
  pods: readonly Pod[],
  problem: Problem,
): Proposal[] {
  const { resource = '' } = fields;
  const { [resource]: limit, ...others } = pool.limits;
  if (limit === undefined) return [];
  const used = usedOf(pool, resource, problem);
  const added = addedWith(
    withPool(problem.snapshot, { ...pool, limits: others }),
    pool,
    resource,
    pods,
  );
  const to = used + added;
  return [
    {
      kind: 'raise-limit',
      object: `NodePool/${pool.name}`,
      path: `spec.limits.${resource}`,
      from: formatAmount(resource, limit),
      to: formatAmount(resource, to),
      snapshot: withPool(problem.snapshot, { ...pool, limits: { ...others, [resource]: to } }),
      pods,
    },
  ];
}

function usedOf({ name }: NodePool, resource: string, { usage, columns }: Problem): number {
  const used = usage.get(name);
  if (!used) return 0;
  return resource === NODES ? used.nodes : (toResources(columns, used.capacity)[resource] ?? 0);
}

function addedWith(
  unlimited: ClusterSnapshot,
  { name }: NodePool,
  resource: string,
  pods: readonly Pod[],
): number {
  const problem = prepare(unlimited);
  const drafts = solve(problem, pods).drafts.filter(({ template }) => template.pool.name === name);
  if (resource === NODES) return drafts.length;
  const column = problem.columns.indexOf.get(resource);
  return drafts.reduce((total, draft) => {
    const capacity = problem.index.capacity[cheapestType(draft, problem).type];
    return total + (capacity && column !== undefined ? at(capacity, column) : 0);
  }, 0);
}

/** The well-known label that was meant, in place of one that nothing has. */
function renameLabel(
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

function tolerate(pool: NodePool, _: Reason, pods: readonly Pod[], problem: Problem): Proposal[] {
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

/** Refusals that a single change may cure. */
const REMEDIES: Partial<Record<ReasonCode, Remedy>> = {
  'limit-reached': raiseLimit,
  'taint-not-tolerated': tolerate,
  'requirement-conflict': widen,
  'unknown-label': renameLabel,
  'too-large': allowCheapest,
  'no-type-matches': allowCheapest,
  'no-offering-in-zone': allowCheapest,
  ice: allowCheapest,
  'min-values-unmet': allowCheapest,
  'topology-spread': allowCheapest,
};
