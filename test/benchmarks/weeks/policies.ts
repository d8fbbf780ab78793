import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { planLikeKarpenter } from '../../support/karpenter-disruption.ts';
import type { WeekRun } from './run-week.ts';
import type { PolicyName } from './week-result.ts';

/** Karpenter has neither growth nor taints of surplus nodes, and its moves have no price. */
const KARPENTER = {
  decide: planLikeKarpenter,
  settings: { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any', surplusNodes: 'Ignore', growthWindowMs: 0 },
} as const;

/** Our rules, with and without the right to patch pods, and Karpenter's with two of its consolidation policies. */
export const POLICIES = {
  mortise: { mayRankPods: true },
  'without-rights': {},
  karpenter: KARPENTER,
  'karpenter-balanced': { ...KARPENTER, consolidationPolicy: 'Balanced' },
} as const satisfies Record<PolicyName, Pick<WeekRun, 'decide' | 'settings' | 'consolidationPolicy' | 'mayRankPods'>>;
