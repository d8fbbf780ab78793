import type { ScenarioGaps } from './scenario-gaps.ts';

export const offerings: ScenarioGaps = {};
