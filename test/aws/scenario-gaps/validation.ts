import type { ScenarioGaps } from '../scenario-coverage.ts';

export const validation: ScenarioGaps = {
  V7: 'The trial is of default tenancy: what may be launched on dedicated hardware is asked at the launch.',
};
