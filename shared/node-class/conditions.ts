import type {
  NodeClassCondition,
  NodeClassConditionType,
  NodeClassResolution,
} from '../model/resolved-node-class.ts';

/** What came of the look for one part of a class. */
export type Found<T> =
  | { readonly outcome: 'found'; readonly value: T }
  /** Known to be missing or wrong. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly message: string }
  /** Nobody could tell: an API failed. */
  | { readonly outcome: 'unknown'; readonly message: string };

type Part = Exclude<NodeClassConditionType, 'Ready'>;
export type Findings = Readonly<Record<Exclude<Part, 'ValidationSucceeded'>, Found<unknown>>>;

/**
 * The class's conditions, as Karpenter names them.
 *
 * @param validation - judged only when all that it depends on is there
 */
export function conditionsOf(
  findings: Findings,
  validation: Found<unknown>,
): NodeClassResolution['conditions'] {
  const dependents = [
    condition('AMIsReady', findings.AMIsReady),
    condition('SubnetsReady', findings.SubnetsReady),
    condition('SecurityGroupsReady', findings.SecurityGroupsReady),
    condition('InstanceProfileReady', findings.InstanceProfileReady),
  ];
  const validated =
    validation.outcome === 'refused'
      ? condition('ValidationSucceeded', validation)
      : (notReady(dependents) ?? condition('ValidationSucceeded', validation));
  const all = [...dependents, validated];
  return [...all, readiness(all)];
}

function condition(type: Part, found: Found<unknown>): NodeClassCondition {
  switch (found.outcome) {
    case 'found':
      return { type, status: 'True', reason: type, message: '' };
    case 'refused':
      return { type, status: 'False', reason: found.reason, message: found.message };
    case 'unknown':
      return { type, status: 'Unknown', reason: 'ResolutionFailed', message: found.message };
  }
}

/** Validation says no while a dependency says no, and nothing while one is not known. */
function notReady(dependents: readonly NodeClassCondition[]): NodeClassCondition | undefined {
  const offenders = dependents.filter(({ status }) => status !== 'True');
  if (offenders.length === 0) return undefined;
  return {
    type: 'ValidationSucceeded',
    status: offenders.some(({ status }) => status === 'False') ? 'False' : 'Unknown',
    reason: 'DependenciesNotReady',
    message: `Awaiting ${offenders.map(({ type }) => type).join(', ')}`,
  };
}

function readiness(dependents: readonly NodeClassCondition[]): NodeClassCondition {
  const offenders = dependents.filter(({ status }) => status !== 'True');
  if (offenders.length === 0)
    return { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
  const isFalse = offenders.some(({ status }) => status === 'False');
  return {
    type: 'Ready',
    status: isFalse ? 'False' : 'Unknown',
    reason: isFalse ? 'UnhealthyDependents' : 'ReconcilingDependents',
    message: offenders.map(({ type, status }) => `${type}=${status}`).join(', '),
  };
}
