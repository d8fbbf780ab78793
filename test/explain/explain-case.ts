import { createExplainer } from '../../shared/explain/explain.ts';
import type { Explanation, Subject } from '../../shared/explain/explanation.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';

/** A question about an object of a cluster, with the expected answer. */
export interface ExplainCase {
  readonly title: string;
  readonly snapshot: ClusterSnapshot;
  readonly subject: Subject;
  readonly outcome: Explanation['outcome'];
  /** Part of the verdict. */
  readonly verdict: string;
  /** Sentences of all reasons. */
  readonly reasons: readonly string[];
  /** Part of the evidence: `label: text`. */
  readonly evidence: string;
  /** The first fix; undefined if no single change helps. */
  readonly fix: string | undefined;
  /** Its patch, if it is to be checked. */
  readonly patch?: string;
  /** Its text, if it is to be checked. */
  readonly next?: string;
}

/** Explains an object of the snapshot, with a decision of each kind on it. */
export function explainIn(snapshot: ClusterSnapshot, subject: Subject): Explanation | undefined {
  const { takenAt: at } = snapshot;
  const caps = { launchesPerMinute: 100, hourlyUsd: 100, use: { launches: 0, usd: 0, nodes: 0 } };
  const backoffs = { registration: [], launch: [], placement: [] };
  return createExplainer([
    {
      id: 'p-1',
      at,
      input: { kind: 'provisioning', snapshot, backoffs, caps, anticipate: true },
    },
    { id: 'd-1', at, input: { kind: 'disruption', snapshot, running: [] } },
  ])?.explain(subject);
}

export const linesOf = ({ reasons, evidence, fixes, ...rest }: Explanation) => ({
  ...rest,
  reasons: reasons.map(({ reason }) => formatReason(reason)),
  evidence: evidence.map(({ label, text }) => `${label}: ${text}`),
  fix: fixes[0]?.text,
  patch: fixes[0]?.patch,
});
