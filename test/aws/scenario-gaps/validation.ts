import type { ScenarioGaps } from '../scenario-coverage.ts';

export const validation: ScenarioGaps = {
  V7: 'Not shown yet.',
  V19: 'Not shown yet.',
  V20: 'Not shown yet.',
  V21: 'Not shown yet.',
  V22: 'Not shown yet.',
  V23: 'Not shown yet.',
  V24: 'Not shown yet.',
  V25: 'Not shown yet.',
};
