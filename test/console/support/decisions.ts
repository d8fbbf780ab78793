import type { DisruptionPlan, PlannedClaim, ProvisioningPlan, Unplaced } from '../../../shared/model/plans.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { aNodeClaim, anOffering, NOON } from '../../support/builders.ts';

export const aProvisioning = (plan: Partial<ProvisioningPlan>, over: { id?: string; at?: number } = {}): Decision => ({
  id: 'p-1',
  at: NOON,
  kind: 'provisioning',
  plan: { claims: [], placements: [], unplaced: [], hourlyUsd: 0, ...plan },
  ...over,
});

export const aDisruption = (plan: Partial<DisruptionPlan>, over: { id?: string; at?: number } = {}): Decision => ({
  id: 'd-1',
  at: NOON,
  kind: 'disruption',
  plan: { verdicts: [], ...plan },
  ...over,
});

/** A planned claim `general-1` for the pod `default/web-1`: an on-demand m7i.large. */
export const aPlannedClaim = (over: Partial<PlannedClaim> = {}): PlannedClaim => ({
  claim: aNodeClaim(),
  pods: ['default/web-1'],
  cheapest: anOffering(),
  ...over,
});

/** The pod `default/web-1`, excluded by the limit of its only NodePool. */
export const anUnplaced = (over: Partial<Unplaced> = {}): Unplaced => ({
  pods: ['default/web-1'],
  pools: [
    {
      pool: 'general',
      reasons: [
        {
          code: 'limit-reached',
          fields: { resource: 'cpu', used: '48', limit: '48', type: 'm7i.large', needed: '2' },
        },
      ],
      funnel: {
        all: 100,
        allowedByPool: 50,
        allowedByPod: 40,
        fitting: 30,
        available: 20,
        withinLimits: 0,
      },
    },
  ],
  nodes: [],
  ...over,
});
