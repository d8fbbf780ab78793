import { DEFAULT_TIMING } from '../../model/settings.ts';
import { wholeNumber } from '../forms.ts';
import type { SettingTable } from '../setting.ts';

const MILLISECONDS = wholeNumber(1, 99_999, 'milliseconds');

/** Delays between an event of the API server and the run that it starts. */
export const HINTS = {
  bucketMs: {
    variable: 'HINT_BUCKET_MS',
    option: 'hintBucketMs',
    form: MILLISECONDS,
    usual: `${DEFAULT_TIMING.bucketMs}`,
    meaning: 'Events of the API server within this time start one run.',
  },
  podMarginMs: {
    variable: 'POD_MARGIN_MS',
    option: 'podMarginMs',
    form: MILLISECONDS,
    usual: `${DEFAULT_TIMING.podMarginMs}`,
    meaning: 'The time between an Event about a pod and the read that finds the pod.',
  },
  objectMarginMs: {
    variable: 'OBJECT_MARGIN_MS',
    option: 'objectMarginMs',
    form: MILLISECONDS,
    usual: `${DEFAULT_TIMING.objectMarginMs}`,
    meaning: 'The time between a changed object and the read that finds the change.',
  },
} as const satisfies SettingTable;
