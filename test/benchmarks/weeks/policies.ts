import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { planLikeKarpenter } from '../../support/karpenter-disruption.ts';
import type { WeekRun } from './run-week.ts';
import type { PolicyName } from './week-result.ts';

/** Our rules, with an option that saves more, and Karpenter's. */
export const POLICIES = {
  mortise: {},
  // Nodes become empty by themselves, so evictions may cost more.
  'deletion-cost': {
    settings: {
      ...DEFAULT_SETTINGS,
      surplusNodes: 'TaintAndPodDeletionCost',
      evictionCostUsd: 0.02,
    },
  },
  karpenter: {
    decide: planLikeKarpenter,
    settings: { ...DEFAULT_SETTINGS, surplusNodes: 'Ignore', growthWindowMs: 0 },
  },
} as const satisfies Record<PolicyName, Pick<WeekRun, 'decide' | 'settings'>>;
