import type {
  NodeClassCondition,
  NodeClassConditionType,
  NodeClassResolution,
} from '../../model/nodes/resolved-node-class.ts';

/** What came of the look for one part of a class. */
export type DiscoveryResult<T> =
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
 * @param previous - of the last look; empty: there was none
 */
export function computeConditions(
  results: Readonly<Record<Dependency, DiscoveryResult<unknown>>>,
  validation: DiscoveryResult<unknown>,
  previous: Conditions,
): Conditions {
  const evaluateCondition = (
    type: Exclude<NodeClassConditionType, 'Ready'>,
    result: DiscoveryResult<unknown>,
  ) =>
    toCondition(
      type,
      result,
      previous.find((one) => one.type === type),
    );
  const dependencies = [
    evaluateCondition('AMIsReady', results.AMIsReady),
    evaluateCondition('CapacityReservationsReady', results.CapacityReservationsReady),
    evaluateCondition('PlacementGroupReady', results.PlacementGroupReady),
    evaluateCondition('SubnetsReady', results.SubnetsReady),
    evaluateCondition('SecurityGroupsReady', results.SecurityGroupsReady),
    evaluateCondition('InstanceProfileReady', results.InstanceProfileReady),
  ];
  const pendingValidation =
    validation.outcome === 'refused' ? undefined : findPendingValidation(dependencies);
  const all = [
    ...dependencies,
    pendingValidation ?? evaluateCondition('ValidationSucceeded', validation),
  ];
  return [...all, computeReady(all)];
}

/** Those of a class that nobody can read: its CRD is not the one that we know. */
export function computeUnreadableConditions(why: string): Conditions {
  const refusal = { outcome: 'refused', reason: 'InvalidNodeClass', message: why } as const;
  const validated = toCondition('ValidationSucceeded', refusal, undefined);
  return [validated, computeReady([validated])];
}

function toCondition(
  type: NodeClassConditionType,
  result: DiscoveryResult<unknown>,
  previous: NodeClassCondition | undefined,
): NodeClassCondition {
  switch (result.outcome) {
    case 'found':
      return { type, status: 'True', reason: type, message: result.note ?? '' };
    case 'refused':
      return { type, status: 'False', reason: result.reason, message: result.message };
    case 'unknown': {
      const { reason = 'ResolutionFailed', message } = result;
      return previous ?? { type, status: 'Unknown', reason, message };
    }
  }
}

const listNotTrue = (conditions: Conditions): Conditions =>
  conditions.filter(({ status }) => status !== 'True');

/** Validation says no while a dependency says no, and nothing while one is not known. */
function findPendingValidation(dependencies: Conditions): NodeClassCondition | undefined {
  const notTrue = listNotTrue(dependencies);
  if (notTrue.length === 0) return undefined;
  return {
    type: 'ValidationSucceeded',
    status: findWorstStatus(notTrue),
    reason: 'DependenciesNotReady',
    message: `Awaiting ${notTrue.map(({ type }) => type).join(', ')}`,
  };
}

function computeReady(conditions: Conditions): NodeClassCondition {
  const notTrue = listNotTrue(conditions);
  if (notTrue.length === 0) return { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
  const status = findWorstStatus(notTrue);
  return {
    type: 'Ready',
    status,
    reason: status === 'False' ? 'UnhealthyDependents' : 'ReconcilingDependents',
    message: notTrue.map((one) => `${one.type}=${one.status}`).join(', '),
  };
}

const findWorstStatus = (notTrue: Conditions): 'False' | 'Unknown' =>
  notTrue.some(({ status }) => status === 'False') ? 'False' : 'Unknown';
