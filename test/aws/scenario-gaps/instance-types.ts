import type { ScenarioGaps } from '../scenario-coverage.ts';

export const instanceTypes: ScenarioGaps = {
  I12: 'Not shown yet.',
  I35: 'Not shown yet.',
  I36: 'Not shown yet.',
  I37: 'Not shown yet.',
  I38: 'Not shown yet.',
  I40: 'Not shown yet.',
  I42: 'Not shown yet.',
};
