import { createSnapshotExplainer } from '../../../shared/explain/explain.ts';
import type { Explanation } from '../../../shared/explain/explanation.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import { ARCH_LABEL } from '../../../shared/model/labels.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { createChoices } from '../../vectors/random/choices.ts';
import { applyFix } from './apply-fix.ts';
import { type BrokenCluster, DEPLOYMENT, NAMESPACE, readBrokenCluster } from './broken-cluster.ts';
import { listRequirements } from './edits.ts';
import { FAULTS } from './faults.ts';
import { asList, getIn } from './json.ts';
import { findSingleChange } from './single-changes.ts';
import { createWorkingCluster } from './working-cluster.ts';

/** A working cluster with one or two faults, by seed and number. */
export interface Situation {
  readonly seed: number;
  readonly index: number;
  readonly kinds: readonly string[];
  readonly cluster: BrokenCluster;
  /** Before the faults. */
  readonly working: BrokenCluster;
}

/** The effect of the first fix of a situation. */
export interface SituationResult {
  readonly seed: number;
  readonly index: number;
  readonly kinds: readonly string[];
  readonly fix: string | undefined;
  readonly patch: string | undefined;
  readonly reasons: readonly string[];
  /** True if the pods run with the fix, or if it says until when they wait, and they run then. */
  readonly repairs: boolean;
  /** Architectures of the nodes that neither the pods ask for nor the sentence names. */
  readonly unsaid: readonly string[];
  /** A single change that helps, although the answer says that none does. */
  readonly missed?: string;
}

const MAX_DRAWS = 200;

/**
 * Draws the situation of this number: kinds take turns, so that each comes equally often. Clusters that run in
 * spite of the faults, or that do not run without them, are drawn again.
 */
export function drawSituation(seed: number, index: number, faults: 1 | 2): Situation {
  const kinds = Object.keys(FAULTS);
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const name = `situation ${index} ${faults} ${draw}`;
    const choices = createChoices(seed, name);
    const first = kinds[index % kinds.length] ?? '';
    const drawn = faults === 1 ? [first] : [first, choices.pick(kinds.filter((kind) => kind !== first))];
    const working = createWorkingCluster(seed, name);
    if (!runs(working)) continue;
    const alone = drawn.map((kind) => addFault(working, kind, seed, name));
    const cluster = drawn.reduce((one, kind) => addFault(one, kind, seed, name), working);
    // A second fault may undo or replace the first one.
    const isIndependent = faults === 1 || alone.every((one) => JSON.stringify(one) !== JSON.stringify(cluster));
    if (isIndependent && [...alone, cluster].every((one) => !runs(one))) {
      return { seed, index, kinds: drawn, cluster, working };
    }
  }
  throw new Error(`no situation of ${kinds[index % kinds.length]} was found`);
}

const addFault = (cluster: BrokenCluster, kind: string, seed: number, name: string): BrokenCluster =>
  FAULTS[kind]?.(cluster, createChoices(seed, `${name} ${kind}`)) ?? cluster;

/** True if each pod of the Deployment gets a node. */
function runs(cluster: BrokenCluster): boolean {
  const { claims, placements } = plan(cluster);
  return [...claims, ...placements].reduce((sum, { pods }) => sum + pods.length, 0) === cluster.replicas;
}

const plan = (cluster: BrokenCluster): ProvisioningPlan =>
  planProvisioning(readBrokenCluster(cluster), 'situation', { anticipate: false });

/** Explains the first pod that gets no node. */
export function explainSituation(cluster: BrokenCluster): Explanation | undefined {
  const explainer = createSnapshotExplainer(readBrokenCluster(cluster), []);
  const [pod = `${NAMESPACE}/${DEPLOYMENT}-7c9-0`] = plan(cluster).unplaced.flatMap(({ pods }) => pods);
  return explainer.explain({ kind: 'pod', name: pod });
}

/** Explains a situation, and applies the first fix to what its user wrote. */
export function runSituation(situation: Situation): SituationResult {
  const { seed, index, kinds, cluster } = situation;
  const answer = explainSituation(cluster);
  const [fix] = answer?.fixes ?? [];
  const held = answer?.outcome === 'held';
  const fixed = fix && applyFix(cluster, fix);
  const missed = fix || held ? undefined : findSingleChange(cluster, runs);
  return {
    ...{ seed, index, kinds },
    fix: fix?.text ?? (held ? answer.verdict : undefined),
    patch: fix?.patch,
    reasons: answer?.reasons.map(({ reason }) => formatReason(reason)) ?? [],
    repairs: held || (fixed !== undefined && runs(fixed)),
    unsaid: fixed ? listUnsaidArchitectures(fixed, situation, fix?.adds ?? []) : [],
    ...(missed !== undefined && { missed }),
  };
}

/** Lists architectures of new nodes that neither the pods ask for nor the NodePool had. */
function listUnsaidArchitectures(
  fixed: BrokenCluster,
  { working, cluster }: Situation,
  said: readonly string[],
): string[] {
  const written = listRequirements(cluster).filter(({ key }) => key === ARCH_LABEL);
  const expected = new Set([
    ...listArchitectures(working),
    ...written.flatMap(({ values }) => asList(values)),
    ...said,
    ...listRequested(fixed),
  ]);
  return listArchitectures(fixed).filter((arch) => !expected.has(arch));
}

function listArchitectures(cluster: BrokenCluster): string[] {
  const { instanceTypes } = readBrokenCluster(cluster);
  const archOf = new Map(
    Object.values(instanceTypes).flatMap((types) => types.map((one) => [one.name, one.labels[ARCH_LABEL] ?? ''])),
  );
  const types = plan(cluster).claims.flatMap(({ claim }) => claim.instanceTypes);
  return [...new Set(types.map((type) => archOf.get(type) ?? ''))];
}

const listRequested = ({ template }: BrokenCluster): string[] => {
  const selected = getIn(template, 'spec', 'nodeSelector', ARCH_LABEL);
  return typeof selected === 'string' ? [selected] : [];
};
