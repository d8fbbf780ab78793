import type { ExplainedFix, ExplainedReason, Explanation, SubjectKind } from '../../shared/explain/explanation.ts';
import { emitterOf, formatReason, type Reason } from '../../shared/model/explanations/reasons.ts';
import { formatInstant } from '../../shared/model/time.ts';
import type { ReasonDocument } from '../documents/simulation.ts';

/** The kind of the JSON document about an object. */
export const DOCUMENT_KIND: Readonly<Record<SubjectKind, string>> = {
  pod: 'PodExplanation',
  node: 'NodeExplanation',
  nodeclaim: 'NodeClaimExplanation',
  nodepool: 'NodePoolExplanation',
};

/** Converts an explanation to its JSON document. */
export function toDocument(explanation: Explanation) {
  const { subject, outcome, verdict, reasons, evidence, fixes, next, ...rest } = explanation;
  const { alternative, decision, basis, equalPods } = rest;
  const [fix, ...otherFixes] = fixes.map(toFixDocument);
  return {
    [subject.kind]: subject.name,
    outcome,
    ...(subject.kind === 'pod'
      ? { pools: groupByPool(reasons) }
      : { reasons: reasons.map(({ reason }) => toReasonDocument(reason)) }),
    ...(alternative && {
      alternative: {
        ...(alternative.hourlyUsd !== undefined && { hourlyUsd: alternative.hourlyUsd }),
        ...(alternative.savingHourlyUsd !== undefined && {
          savingUsd: alternative.savingHourlyUsd,
        }),
        text: alternative.text,
      },
    }),
    verdict,
    ...(equalPods && { equalPods }),
    evidence: evidence.map(({ label, text }) => ({ label, text })),
    ...(fix && { fix }),
    otherFixes,
    next: {
      text: next.text,
      ...(next.at !== undefined && { at: formatInstant(next.at) }),
    },
    ...(decision !== undefined && { decision }),
    ...(basis && { basis: { at: formatInstant(basis.at), text: basis.text } }),
  };
}

const toFixDocument = ({ id: _, ...fix }: ExplainedFix) => ({ ...fix, verified: true });

export const toReasonDocument = (reason: Reason): ReasonDocument => ({
  code: reason.code,
  emitter: emitterOf(reason),
  text: formatReason(reason),
  fields: { ...reason.fields },
});

const groupByPool = (reasons: readonly ExplainedReason[]) =>
  [...Map.groupBy(reasons, ({ object }) => object)].map(([name, group]) => ({
    name,
    reasons: group.map(({ reason }) => toReasonDocument(reason)),
  }));
