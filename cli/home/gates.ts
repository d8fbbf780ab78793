import { gatesThatAreOn } from '../../shared/api/keys/feature-gates.ts';
import type { Io } from '../io.ts';

/** The feature gates of `FEATURE_GATES` and `AWS_FEATURE_GATES`. */
export const gatesOf = ({
  FEATURE_GATES = '',
  AWS_FEATURE_GATES = '',
}: Io['env']): ReadonlySet<string> => gatesThatAreOn(`${FEATURE_GATES},${AWS_FEATURE_GATES}`);
