import { describe, expect, it } from 'vitest';
import { computePoolStatuses } from '../../shared/lifecycle/node-pool-status.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import { addResult, type RegistrationHealth } from '../../shared/model/nodes/registration-health.ts';
import { DISRUPTED_TAINT } from '../../shared/model/requirements/taints.ts';
import { aLaunch, aNode, aNodeClaim, aNodePool, anInitializedClaim, NOON, resources } from '../support/builders.ts';

const HEALTHY = 'NodeRegistrationHealthy';
const NONE = { cpu: 0, memory: 0, pods: 0, 'ephemeral-storage': 0, nodes: 0 };
const four = resources(4, 16, { pods: 58 });

const aClaimOf = (name: string, over = {}) =>
  anInitializedClaim(name, {
    name,
    launch: aLaunch({ providerId: `aws:///us-east-1a/i-${name}`, capacity: four }),
    ...over,
  });
const aNodeOf = (name: string, over = {}) => aNode({ name, capacity: four, ...over });

const statusOf = (
  pools: readonly NodePool[],
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
  health?: RegistrationHealth,
) => {
  const healths = new Map(health ? [[health.pool, health]] : []);
  const [status] = computePoolStatuses(pools, claims, nodes, healths);
  if (!status) throw new Error('no status');
  return status;
};

describe('the status of a NodePool', () => {
  it('sums up its nodes', () => {
    const claims = [aClaimOf('a'), aClaimOf('b')];

    const status = statusOf([aNodePool()], claims, [aNodeOf('a'), aNodeOf('b')]);

    expect(status).toMatchObject({
      nodes: 2,
      resources: { cpu: 8_000, pods: 116, nodes: 2 },
    });
  });

  it.each([
    ['the claim is being deleted', { deletingAt: NOON }, {}],
    ['the Node is being deleted', {}, { deletionAt: NOON }],
    ['the Node has the disrupted taint', {}, { taints: [DISRUPTED_TAINT] }],
  ])('leaves out a node that is being removed: %s', (_, claim, node) => {
    const claims = [aClaimOf('a'), aClaimOf('b', claim)];

    const status = statusOf([aNodePool()], claims, [aNodeOf('a'), aNodeOf('b', node)]);

    expect(status).toMatchObject({ nodes: 1, resources: { cpu: 4_000 } });
  });

  it('shows 0 for resources that it does not have', () => {
    expect(statusOf([aNodePool()], [], [])).toMatchObject({ nodes: 0, resources: NONE });
  });

  it("counts a starting node with EC2's capacity, and an unlaunched claim not at all", () => {
    const claims = [aNodeClaim({ name: 'a', launch: aLaunch({ capacity: four }) }), aNodeClaim({ name: 'b' })];

    expect(statusOf([aNodePool()], claims, [])).toMatchObject({
      nodes: 1,
      resources: { cpu: 4_000 },
    });
  });

  it("counts only the pool's own nodes", () => {
    const [, other] = computePoolStatuses(
      [aNodePool(), aNodePool({ name: 'batch' })],
      [aClaimOf('a')],
      [aNodeOf('a')],
      new Map(),
    );

    expect(other).toMatchObject({ pool: 'batch', nodes: 0 });
  });

  const brief = (over: Partial<NodePool>): string[] =>
    statusOf([aNodePool(over)], [], [])
      .conditions.filter(({ type }) => type !== 'NodeRegistrationHealthy')
      .map(({ type, status, reason, message }) => `${type} ${status} ${reason} ${message}`);

  it.each<[string, Partial<NodePool>, string[]]>([
    [
      'ready',
      {},
      ['ValidationSucceeded True ValidationSucceeded ', 'NodeClassReady True NodeClassReady ', 'Ready True Ready '],
    ],
    [
      'no NodeClass',
      {
        ready: false,
        notReady: { condition: 'NodeClassNotFound', message: 'there is no EC2NodeClass x' },
      },
      [
        'ValidationSucceeded True ValidationSucceeded ',
        'NodeClassReady False NodeClassNotFound there is no EC2NodeClass x',
        'Ready False UnhealthyDependents NodeClassReady=False',
      ],
    ],
    [
      'backoff after failures',
      { ready: false, notReady: { condition: 'NodeRegistrationHealthy', message: 'rests' } },
      ['ValidationSucceeded True ValidationSucceeded ', 'NodeClassReady True NodeClassReady ', 'Ready True Ready '],
    ],
    [
      'invalid',
      { ready: false, notReady: { condition: 'ValidationSucceeded', message: 'bad taint' } },
      [
        'ValidationSucceeded False NodePoolValidationFailed bad taint',
        'NodeClassReady Unknown AwaitingReconciliation ',
        'Ready False UnhealthyDependents ValidationSucceeded=False, NodeClassReady=Unknown',
      ],
    ],
  ])('has conditions by its readiness: %s', (_, over, expected) => {
    expect(brief(over)).toEqual(expected);
  });

  const healthOf = (letters: string) =>
    [...letters].reduce<RegistrationHealth | undefined>(
      (health, letter) =>
        addResult(
          health,
          aNodePool(),
          letter === 'o' ? { outcome: 'registered' } : { outcome: 'failed', reason: `Failed${letter}`, message: 'why' },
        ),
      undefined,
    );
  const conditionOf = (
    health: RegistrationHealth | undefined,
    claims: readonly NodeClaim[] = [],
    pool: Partial<NodePool> = {},
  ) => {
    const { conditions } = statusOf([aNodePool(pool)], claims, [], health);
    const { status, reason } = conditions.find(({ type }) => type === HEALTHY) ?? {};
    return `${status} ${reason}`;
  };

  it.each([
    ['one failure', '1', 'Unknown AwaitingReconciliation'],
    ['two failures', '12', 'False Failed2'],
    ['two failures and a success', '12o', 'False Failed2'],
    ['two failures and two successes', '12oo', 'False Failed2'],
    ['two failures and three successes', '12ooo', 'True NodeRegistrationHealthy'],
    ['a success and a failure', 'o1', 'True NodeRegistrationHealthy'],
    ['a success and two failures', 'o12', 'False Failed2'],
    ['two failures among four results', 'o1o2', 'False Failed2'],
    ['an old failure that four results followed', '1oooo2', 'True NodeRegistrationHealthy'],
  ])('has a condition by its last four registrations: %s', (_, letters, expected) => {
    expect(conditionOf(healthOf(letters))).toBe(expected);
  });

  it.each([
    ['its spec', { generation: 2 }],
    ['its EC2NodeClass', { nodeClassGeneration: 2 }],
    ['its uid', { uid: 'created-again' }],
  ])('forgets the results if %s has changed', (_, pool) => {
    expect(conditionOf(healthOf('12'), [aClaimOf('a')], pool)).toBe('Unknown AwaitingReconciliation');
  });

  it('is healthy if nodes registered before results were recorded', () => {
    expect(conditionOf(undefined, [aClaimOf('a')])).toBe('True NodeRegistrationHealthy');
    expect(conditionOf(undefined)).toBe('Unknown AwaitingReconciliation');
  });

  it('names the generation of the EC2NodeClass that it describes', () => {
    expect(statusOf([aNodePool({ nodeClassGeneration: 3 })], [], [])).toMatchObject({
      nodeClassGeneration: 3,
    });
  });

  it('stays ready if its nodes do not register', () => {
    const { conditions } = statusOf([aNodePool()], [], [], healthOf('12'));

    expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });
});
