import type { ReasonCode } from '../../shared/model/explanations/reasons.ts';
import type { ReasonGuide } from './guide.ts';
import { REMOVAL_GUIDES } from './removal-guides.ts';
import { SCHEDULING_GUIDES } from './scheduling-guides.ts';

/** The explanation of every reason. */
export const REASON_GUIDES: Readonly<Record<ReasonCode, ReasonGuide>> = {
  ...SCHEDULING_GUIDES,
  ...REMOVAL_GUIDES,
};
