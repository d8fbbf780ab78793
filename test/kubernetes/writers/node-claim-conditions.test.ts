import { describe, expect, it } from 'vitest';
import { type NodeClaimCondition, toConditions } from '../../../shared/kubernetes/writers/node-claim-conditions.ts';
import type { ClaimWait, NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNodeClaim, NOON } from '../../support/builders.ts';

const at = (seconds: number): number => NOON + seconds * SECOND_MS;
const textAt = (seconds: number): string => new Date(at(seconds)).toISOString().replace('.000', '');

describe('the conditions of a NodeClaim', () => {
  const brief = (claim: NodeClaim): string[] =>
    toConditions(claim, 1).map(
      ({ type, status, reason, lastTransitionTime }) => `${type} ${status} ${reason} ${lastTransitionTime}`,
    );
  const launched = { launch: aLaunch({ at: at(5) }) };
  const initialized = { ...launched, registeredAt: at(40), initializedAt: at(50) };
  const waiting = (type: string, reason = 'AwaitingReconciliation'): string => `${type} Unknown ${reason} ${textAt(0)}`;
  const reached = (type: string, seconds: number): string => `${type} True ${type} ${textAt(seconds)}`;

  it.each<[string, Partial<NodeClaim>, string[]]>([
    [
      'just created',
      {},
      [waiting('Launched'), waiting('Registered'), waiting('Initialized'), waiting('Ready', 'ReconcilingDependents')],
    ],
    [
      'launched',
      launched,
      [
        reached('Launched', 5),
        waiting('Registered', 'NodeNotFound'),
        waiting('Initialized'),
        waiting('Ready', 'ReconcilingDependents'),
      ],
    ],
    [
      'initialized',
      initialized,
      [
        reached('Launched', 5),
        reached('Registered', 40),
        reached('Initialized', 50),
        reached('Ready', 50),
        reached('ConsistentStateFound', 50),
      ],
    ],
    [
      'consolidatable',
      { ...initialized, consolidatableSince: at(80) },
      [
        reached('Launched', 5),
        reached('Registered', 40),
        reached('Initialized', 50),
        reached('Ready', 50),
        reached('ConsistentStateFound', 50),
        reached('Consolidatable', 80),
      ],
    ],
    [
      'draining',
      { ...initialized, deletingAt: at(60), drainingAt: at(61), removal: 'Empty' },
      [
        reached('Launched', 5),
        reached('Registered', 40),
        reached('Initialized', 50),
        reached('Ready', 50),
        `DisruptionReason True Empty ${textAt(60)}`,
        `Drained Unknown Draining ${textAt(61)}`,
      ],
    ],
    [
      'terminating, interrupted',
      {
        ...initialized,
        deletingAt: at(60),
        drainingAt: at(61),
        drainedAt: at(70),
        terminatingAt: at(71),
        removal: 'Interrupted',
      },
      [
        reached('Launched', 5),
        reached('Registered', 40),
        reached('Initialized', 50),
        reached('Ready', 50),
        reached('Drained', 70),
        reached('InstanceTerminating', 71),
      ],
    ],
  ])('follow from the record alone: %s', (_, progress, expected) => {
    expect(brief(aNodeClaim(progress))).toEqual(expected);
  });

  const wait = (over: Partial<ClaimWait>): ClaimWait => ({
    condition: 'Initialized',
    status: 'Unknown',
    reason: 'NodeNotReady',
    message: 'waits for the kubelet to be Ready',
    since: at(45),
    ...over,
  });

  it.each<[string, Partial<NodeClaim>, Partial<NodeClaimCondition>[]]>([
    [
      'a node that is not Ready yet',
      { ...launched, registeredAt: at(40), waitsFor: wait({}) },
      [
        { type: 'Initialized', status: 'Unknown', reason: 'NodeNotReady' },
        { type: 'Ready', status: 'Unknown', reason: 'ReconcilingDependents' },
      ],
    ],
    [
      'an ended instance whose Node others hold',
      {
        ...launched,
        registeredAt: at(40),
        initializedAt: at(50),
        drainingAt: at(61),
        terminatingAt: at(71),
        waitsFor: wait({ condition: 'InstanceTerminating', reason: 'NodeFinalizers', message: 'held', since: at(80) }),
      },
      [
        {
          type: 'InstanceTerminating',
          status: 'True',
          reason: 'NodeFinalizers',
          message: 'held',
          lastTransitionTime: textAt(71),
        },
      ],
    ],
    [
      'two nodes with the same provider id',
      {
        ...launched,
        waitsFor: wait({ condition: 'Registered', status: 'False', reason: 'MultipleNodesFound' }),
      },
      [
        {
          type: 'Registered',
          status: 'False',
          reason: 'MultipleNodesFound',
          lastTransitionTime: textAt(45),
        },
        {
          type: 'Ready',
          status: 'False',
          reason: 'UnhealthyDependents',
          message: 'Registered=False, Initialized=Unknown',
          lastTransitionTime: textAt(45),
        },
      ],
    ],
    [
      'a launch that EC2 refused',
      { waitsFor: wait({ condition: 'Launched', reason: 'Unauthorized', message: 'denied' }) },
      [{ type: 'Launched', status: 'Unknown', reason: 'Unauthorized', message: 'denied' }],
    ],
    [
      'a node with half of the expected memory',
      { ...initialized, shortfall: { text: 'found 64Gi', since: at(60) } },
      [
        {
          type: 'ConsistentStateFound',
          status: 'False',
          reason: 'ConsistencyCheckFailed',
          message: 'found 64Gi',
          lastTransitionTime: textAt(60),
        },
        { type: 'Ready', status: 'True' },
      ],
    ],
    [
      'a drain that does not progress',
      {
        ...initialized,
        deletingAt: at(60),
        drainingAt: at(60),
        blockedDrain: { pods: 1, since: at(70), text: 'web-1 stays' },
      },
      [
        {
          type: 'Drained',
          status: 'Unknown',
          reason: 'DrainStuck',
          message: 'web-1 stays',
          lastTransitionTime: textAt(60),
        },
      ],
    ],
    [
      'attached volumes',
      {
        ...initialized,
        deletingAt: at(60),
        drainedAt: at(70),
        waitsFor: wait({ condition: 'VolumesDetached', reason: 'AwaitingVolumeDetachment' }),
      },
      [
        {
          type: 'VolumesDetached',
          status: 'Unknown',
          reason: 'AwaitingVolumeDetachment',
          lastTransitionTime: textAt(45),
        },
      ],
    ],
  ])('name what a claim waits for: %s', (_, progress, expected) => {
    const conditions = toConditions(aNodeClaim(progress), 1);

    for (const condition of expected) {
      expect(conditions).toContainEqual(expect.objectContaining(condition));
    }
  });

  it('name what Ready waits for', () => {
    const ready = toConditions(aNodeClaim(launched), 3).find(({ type }) => type === 'Ready');

    expect(ready).toMatchObject({
      message: 'Registered=Unknown, Initialized=Unknown',
      observedGeneration: 3,
    });
  });
});
