import type { ScenarioGaps } from '../scenario-coverage.ts';

export const interruption: ScenarioGaps = {
  N5: 'Not shown yet.',
  N7: 'Not shown yet.',
  N13: 'Not shown yet.',
  N14: 'Not shown yet.',
  N15: 'Not shown yet.',
  N16: 'Not shown yet.',
  N19: 'Not shown yet.',
  N20: 'Not shown yet.',
};
