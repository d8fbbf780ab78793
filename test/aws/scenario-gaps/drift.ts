import type { ScenarioGaps } from '../scenario-coverage.ts';

export const drift: ScenarioGaps = {
  R1: 'Not shown yet.',
  R2: 'Not shown yet.',
  R3: 'Not shown yet.',
  R4: 'Not shown yet.',
  R5: 'Not shown yet.',
  R6: 'Not shown yet.',
  R7: 'Not shown yet.',
  R8: 'Not shown yet.',
  R9: 'Not shown yet.',
  R10: 'Not shown yet.',
  R11: 'Not shown yet.',
  R12: 'Not shown yet.',
};
