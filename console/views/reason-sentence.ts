import type { Reason } from '../../shared/model/explanations/reasons.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';

/** A reason as the page says it: instants as times of the day, like everywhere on the page. */
export const reasonSentence = (reason: Reason): string =>
  formatReason(reason).replaceAll(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(?:\.\d+)?Z/g, '$1');
