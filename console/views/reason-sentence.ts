import type { Reason } from '../../shared/model/explanations/reasons.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';

/** Formats a reason with times of day, as everywhere on the page. */
export const reasonSentence = (reason: Reason): string =>
  formatReason(reason).replaceAll(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(?:\.\d+)?Z/g, '$1');
