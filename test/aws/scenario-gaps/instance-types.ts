import type { ScenarioGaps } from './scenario-gaps.ts';

export const instanceTypes: ScenarioGaps = {};
