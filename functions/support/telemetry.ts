import { Logger } from '@aws-lambda-powertools/logger';

/** The deployment names the service, in the variable that Powertools reads. */
export const logger = new Logger();
