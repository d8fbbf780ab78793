import type {
  NodeClassCondition,
  NodeClassConditionType,
  NodeClassResolution,
} from '../../model/resolved-node-class.ts';

/** What came of the look for one part of a class. */
export type Found<T> =
  | {
      readonly outcome: 'found';
      readonly value: T;
      /** What people should know all the same. */
      readonly note?: string;
    }
  /** Known to be missing or wrong. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly message: string }
  /** Nobody could tell: an API failed. */
  | { readonly outcome: 'unknown'; readonly reason?: string; readonly message: string };

type Dependency = Exclude<
  NodeClassConditionType,
  'Ready' | 'ValidationSucceeded' | 'RolloutHealthy'
>;
type Conditions = NodeClassResolution['conditions'];

/**
 * The class's conditions, as Karpenter names them. What cannot be looked up now is as it was.
 *
 * @param validation - judged only when all that it depends on is there
 * @param before - of the last look; empty: there was none
 */
export function conditionsOf(
  findings: Readonly<Record<Dependency, Found<unknown>>>,
  validation: Found<unknown>,
  before: Conditions,
): Conditions {
  const judge = (type: Exclude<NodeClassConditionType, 'Ready'>, found: Found<unknown>) =>
    judged(
      type,
      found,
      before.find((one) => one.type === type),
    );
  const dependencies = [
    judge('AMIsReady', findings.AMIsReady),
    judge('CapacityReservationsReady', findings.CapacityReservationsReady),
    judge('PlacementGroupReady', findings.PlacementGroupReady),
    judge('SubnetsReady', findings.SubnetsReady),
    judge('SecurityGroupsReady', findings.SecurityGroupsReady),
    judge('InstanceProfileReady', findings.InstanceProfileReady),
  ];
  const held = validation.outcome === 'refused' ? undefined : awaiting(dependencies);
  const all = [...dependencies, held ?? judge('ValidationSucceeded', validation)];
  return [...all, readiness(all)];
}

/** Those of a class that nobody can read: its CRD is not the one that we know. */
export function conditionsOfUnreadable(why: string): Conditions {
  const refusal = { outcome: 'refused', reason: 'InvalidNodeClass', message: why } as const;
  const validated = judged('ValidationSucceeded', refusal, undefined);
  return [validated, readiness([validated])];
}

function judged(
  type: NodeClassConditionType,
  found: Found<unknown>,
  before: NodeClassCondition | undefined,
): NodeClassCondition {
  switch (found.outcome) {
    case 'found':
      return { type, status: 'True', reason: type, message: found.note ?? '' };
    case 'refused':
      return { type, status: 'False', reason: found.reason, message: found.message };
    case 'unknown': {
      const { reason = 'ResolutionFailed', message } = found;
      return before ?? { type, status: 'Unknown', reason, message };
    }
  }
}

const unlessTrue = (conditions: Conditions): Conditions =>
  conditions.filter(({ status }) => status !== 'True');

/** Validation says no while a dependency says no, and nothing while one is not known. */
function awaiting(dependencies: Conditions): NodeClassCondition | undefined {
  const offenders = unlessTrue(dependencies);
  if (offenders.length === 0) return undefined;
  return {
    type: 'ValidationSucceeded',
    status: worst(offenders),
    reason: 'DependenciesNotReady',
    message: `Awaiting ${offenders.map(({ type }) => type).join(', ')}`,
  };
}

function readiness(conditions: Conditions): NodeClassCondition {
  const offenders = unlessTrue(conditions);
  if (offenders.length === 0)
    return { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
  const status = worst(offenders);
  return {
    type: 'Ready',
    status,
    reason: status === 'False' ? 'UnhealthyDependents' : 'ReconcilingDependents',
    message: offenders.map((one) => `${one.type}=${one.status}`).join(', '),
  };
}

const worst = (offenders: Conditions): 'False' | 'Unknown' =>
  offenders.some(({ status }) => status === 'False') ? 'False' : 'Unknown';
