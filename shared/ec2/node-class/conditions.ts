import type {
  NodeClassCondition,
  NodeClassConditionType,
  NodeClassResolution,
} from '../../model/nodes/resolved-node-class.ts';

/** The result of discovering one part of a class. */
export type DiscoveryResult<T> =
  | {
      readonly outcome: 'found';
      readonly value: T;
      /** A warning for the condition's message. */
      readonly note?: string;
    }
  /** The part is missing or wrong. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly message: string }
  /** An API failed, so the part is unknown. */
  | { readonly outcome: 'unknown'; readonly reason?: string; readonly message: string };

type Dependency = Exclude<
  NodeClassConditionType,
  'Ready' | 'ValidationSucceeded' | 'RolloutHealthy' | 'NodeAccessReady'
>;
type Conditions = NodeClassResolution['conditions'];

/**
 * Computes the class's conditions, with Karpenter's names. A part that is unknown now keeps its
 * previous condition.
 *
 * @param validation - counts only if all dependencies are ready
 * @param previous - conditions of the previous run; empty for the first
 */
export function computeConditions(
  results: Readonly<Record<Dependency, DiscoveryResult<unknown>>>,
  validation: DiscoveryResult<unknown>,
  previous: Conditions,
): Conditions {
  const evaluateCondition = (type: Exclude<NodeClassConditionType, 'Ready'>, result: DiscoveryResult<unknown>) =>
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
  const pendingValidation = validation.outcome === 'refused' ? undefined : findPendingValidation(dependencies);
  const all = [...dependencies, pendingValidation ?? evaluateCondition('ValidationSucceeded', validation)];
  return [...all, computeReady(all)];
}

/** Computes the conditions of a class that cannot be parsed, because its CRD differs from ours. */
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

const listNotTrue = (conditions: Conditions): Conditions => conditions.filter(({ status }) => status !== 'True');

/** Returns the condition of validation while a dependency is not ready, otherwise undefined. */
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
