import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { KarpenterReport } from '../model/karpenter-report.ts';
import type { DisruptionCommand } from '../model/plans.ts';
import { isAwaitingNode } from '../model/pods/disruption-pods.ts';
import { type PodKey, podKey } from '../model/pods/pod.ts';
import { isDaemon } from '../model/pods/workload.ts';
import { describeBasis } from './basis.ts';
import {
  collectFacts,
  collectSnapshotFacts,
  type DecisionFacts,
  type DecisionToExplain,
  type ExplainedMoment,
  type SnapshotKnowledge,
} from './decisions.ts';
import { explainNode } from './explain-node.ts';
import { explainNodePool } from './explain-node-pool.ts';
import { explainPod } from './explain-pod.ts';
import type { Explanation, Subject, SubjectKind } from './explanation.ts';
import { describeReports } from './karpenter-reports.ts';

export interface Explainer {
  /** @returns undefined if there is no such object */
  explain(subject: Subject): Explanation | undefined;
  /** Pods that wait for a node, by name. */
  listPendingPods(): readonly PodKey[];
  /** Names of all objects of a kind. */
  listNames(kind: SubjectKind): readonly string[];
}

/**
 * Creates explanations from decisions with their input. Equal decisions give equal explanations.
 *
 * @param reports - what Karpenter says, on a cluster that it runs
 * @param moment - if it is not that of the newest decision
 * @returns undefined if there is no decision
 */
export function createExplainer(
  decisions: readonly DecisionToExplain[],
  reports: readonly KarpenterReport[] = [],
  moment: ExplainedMoment = {},
): Explainer | undefined {
  const facts = collectFacts(decisions, reports, moment);
  return facts && explainWith(facts);
}

/**
 * Creates explanations of a cluster as it is: each explains one object, and plans for it alone.
 *
 * @param running - commands in progress
 * @param knowledge - decisions that were made about the cluster, and what Karpenter says
 */
export const createSnapshotExplainer = (
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
  knowledge: SnapshotKnowledge = {},
): Explainer => explainWith(collectSnapshotFacts(snapshot, running, knowledge));

function explainObject(facts: DecisionFacts, { kind, name }: Subject): Explanation | undefined {
  switch (kind) {
    case 'pod':
      return explainPod(facts, name);
    case 'node':
    case 'nodeclaim':
      return explainNode(facts, kind, name);
    case 'nodepool':
      return explainNodePool(facts, name);
  }
}

function explainWith(facts: DecisionFacts): Explainer {
  const { pods, nodes, claims, pools } = facts.snapshot;
  return {
    explain(subject) {
      const explanation = explainObject(facts, subject);
      if (!explanation) return undefined;
      const reported = describeReports(subject, explanation.reasons, facts);
      const basis = describeBasis(explanation, facts);
      return {
        ...explanation,
        evidence: [...explanation.evidence, ...reported],
        ...(basis && { basis }),
      };
    },
    listPendingPods: () =>
      pods
        .filter((pod) => isAwaitingNode(pod) && !isDaemon(pod))
        .map(podKey)
        .toSorted(),
    listNames(kind) {
      switch (kind) {
        case 'pod':
          return pods.map(podKey);
        case 'node':
          return nodes.map(({ name }) => name);
        case 'nodeclaim':
          return claims.map(({ name }) => name);
        case 'nodepool':
          return pools.map(({ name }) => name);
      }
    },
  };
}
