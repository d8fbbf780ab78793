import { DECIDERS } from '../../../cli/record/deciders.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Decision, DecisionLog } from '../../../shared/ports/decision-log.ts';
import { createDecisionRedaction } from '../../../shared/record/redact-decision.ts';
import type { ViolationLog } from './violations.ts';

export interface RedactionCheck {
  /** Remembers the latest decision of each kind. */
  readonly decisionLog: DecisionLog;
  /** Redacts the remembered decisions, and looks for names in them. */
  check(): void;
}

/** The record of a decision without names contains no name of a pod, a node or a volume. */
export function createRedactionCheck(decisionLog: DecisionLog, log: ViolationLog): RedactionCheck {
  const latest = new Map<Decision['kind'], Decision>();
  const redact = createDecisionRedaction('salt', DECIDERS);
  return {
    decisionLog: {
      ...decisionLog,
      async recordDecision(decision) {
        if ((decision.input?.snapshot.pods.length ?? 0) > 0) latest.set(decision.kind, decision);
        await decisionLog.recordDecision(decision);
      },
    },
    check() {
      for (const decision of latest.values()) {
        if (!decision.input) continue;
        const text = JSON.stringify(redact(decision));
        const words = new Set(text.split(/[^\w.-]+/));
        const remainingNames = listNames(decision.input.snapshot).filter((name) => words.has(name));
        if (remainingNames.length > 0)
          log.report('redacted-name', `${decision.id} has ${remainingNames.slice(0, 5).join(', ')}`);
      }
    },
  };
}

const listNames = ({ pods, nodes, storage }: ClusterSnapshot): readonly string[] => [
  ...new Set([
    ...pods.flatMap(({ name, labels, spec }) => [name, labels.app ?? '', ...spec.volumeClaims]),
    ...nodes.map(({ name }) => name),
    ...(storage?.volumes ?? []).map(({ name }) => name),
  ]),
];
