import type { ScenarioGaps } from './scenario-gaps.ts';

export const discovery: ScenarioGaps = {};
