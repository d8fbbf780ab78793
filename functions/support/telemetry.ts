import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';

/** The deployment names service and namespace, in the variables that Powertools reads. */
export const logger = new Logger();
export const metrics = new Metrics();
