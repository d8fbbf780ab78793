import { describe, expect, it } from 'vitest';
import { gaugeClaims, recordClaimChange } from '../../../shared/controllers/metrics/node-claim-metrics.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { anInitializedClaim, NOON } from '../../support/builders.ts';

const reboot = { cause: 'AcceleratedHardwareReady/XID48', requestedAt: NOON - 5 * MINUTE_MS };
const issued = { ...reboot, issuedAt: NOON - MINUTE_MS };
const { initializedAt: _, ...rebooting }: NodeClaim = anInitializedClaim('a', {
  createdAt: NOON - DAY_MS,
  reboots: [issued],
});

function recorded(before: NodeClaim, after: NodeClaim): readonly unknown[] {
  const samples: unknown[] = [];
  const telemetry = {
    count: (name: string, labels: object) => samples.push([name, labels]),
    observe: (name: string, labels: object, value: number) => samples.push([name, labels, value]),
    gauge: (name: string, values: readonly { readonly value: number }[]) => samples.push([name, values[0]?.value]),
  };
  recordClaimChange(telemetry, before, after, {
    findReason: () => undefined,
    findPolicy: () => 'WhenEmptyOrUnderutilized',
  });
  gaugeClaims(telemetry, [after], NOON);
  return samples;
}

describe('the metrics of a node that goes', () => {
  const claim = anInitializedClaim('a');
  const goes = { ...claim, deletingAt: NOON };
  const labels = { nodepool: 'general', capacity_type: 'on-demand', termination_mode: 'graceful' };
  const policy = 'when_empty_or_underutilized';

  it.each([
    ['a consolidation has a policy', { removal: 'Underutilized' }, { consolidation_policy: policy }],
    ['an empty node has a policy', { removal: 'Empty' }, { consolidation_policy: policy }],
    ['drift has none', { removal: 'Drifted' }, { consolidation_policy: '' }],
    ['pods have a time to leave', { terminationGracePeriodMs: MINUTE_MS }, { termination_mode: 'eventual' }],
    ['pods have no time to leave', { terminationGracePeriodMs: 0 }, { termination_mode: 'forceful' }],
  ] as const)('have the labels of Karpenter: %s', (_name, changes, expected) => {
    const after: NodeClaim = { ...goes, removal: 'Drifted', ...changes };

    expect(recorded(claim, after)).toContainEqual([
      'karpenter_nodeclaims_disrupted_total',
      { ...labels, reason: after.removal?.toLowerCase(), consolidation_policy: '', ...expected },
    ]);
  });
});

describe('the metrics of a node that is rebooted', () => {
  it('have the time until it was Ready again', () => {
    expect(recorded(rebooting, { ...rebooting, reboots: [{ ...issued, endedAt: NOON }] })).toEqual(
      expect.arrayContaining([
        ['karpenter_nodes_reboots_total', { result: 'succeeded' }],
        ['karpenter_nodes_reboot_duration_seconds', { result: 'succeeded' }, 300],
        ['karpenter_nodes_reboot_recovery_duration_seconds', {}, 60],
      ]),
    );
  });

  it.each([
    ['provider_error', reboot],
    ['recovery_timeout', issued],
  ])('have the phase in which a reboot failed: %s', (result, last) => {
    const before = { ...rebooting, reboots: [last] };
    const after = { ...before, deletingAt: NOON, removal: 'Unhealthy' as const };

    expect(recorded(before, after)).toContainEqual(['karpenter_nodes_reboots_total', { result }]);
  });

  it('count it neither as a new node that starts nor as one that has started', () => {
    const ended = { ...rebooting, reboots: [{ ...issued, endedAt: NOON }] };

    expect(recorded(ended, ended)).toContainEqual(['mortise_nodeclaims_starting', 0]);
    expect(JSON.stringify(recorded(ended, { ...ended, initializedAt: NOON }))).not.toMatch(
      /mortise_nodeclaims_(ready|initializing|first_pod)_seconds/,
    );
  });
});
