import type { ScenarioGaps } from '../scenario-coverage.ts';

export const validation: ScenarioGaps = {
  V2: 'Not shown yet.',
  V3: 'Not shown yet.',
  V4: 'Not shown yet.',
  V5: 'Not shown yet.',
  V6: 'Not shown yet.',
  V7: 'Not shown yet.',
  V8: 'Not shown yet.',
  V9: 'Not shown yet.',
  V19: 'Not shown yet.',
  V20: 'Not shown yet.',
  V21: 'Not shown yet.',
  V22: 'Not shown yet.',
  V23: 'Not shown yet.',
  V24: 'Not shown yet.',
  V25: 'Not shown yet.',
};
