import type { ScenarioGaps } from '../scenario-coverage.ts';

export const validation: ScenarioGaps = {
  V7: 'The trial is of default tenancy: what may be launched on dedicated hardware is asked at the launch.',
  V19: 'Expressions for kubelet fields (gate NodeClassCEL) are refused, as with the gate off (V18).',
  V20: 'Expressions for kubelet fields (gate NodeClassCEL) are refused, as with the gate off (V18).',
  V21: 'Expressions for kubelet fields (gate NodeClassCEL) are refused, as with the gate off (V18).',
  V22: 'Expressions for kubelet fields (gate NodeClassCEL) are refused, as with the gate off (V18).',
  V23: 'Expressions for kubelet fields (gate NodeClassCEL) are refused, as with the gate off (V18).',
  V24: 'Expressions for kubelet fields (gate NodeClassCEL) are refused, as with the gate off (V18).',
  V25: 'The catalogue is bundled and never empty; newer types only add to it.',
};
