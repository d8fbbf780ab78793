import { type EpochMs, formatInstant, SECOND_MS } from '../../model/time.ts';

/** RFC 3339 with exactly six digits of a second, or the API server does not read it. */
export const formatMicroTime = (at: EpochMs): string =>
  formatInstant(at).replace('Z', `.${`${at % SECOND_MS}`.padStart(3, '0')}000Z`);
