import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../io.ts';

/** Which account and region; absent: as the SDK finds them. */
export interface AwsFlags {
  readonly region?: string;
  readonly profile?: string;
}

/** What every client of the SDK is made with. */
export const toClientSettings = ({ region, profile }: AwsFlags): AwsFlags => ({
  ...(region === undefined ? {} : { region }),
  ...(profile === undefined ? {} : { profile }),
});

const CREDENTIAL_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/**
 * Whether the SDK would find credentials without asking the machine's own metadata, which takes
 * seconds where there is none.
 */
export const hasCredentials = ({ env }: Pick<Io, 'env'>, { profile }: AwsFlags): boolean =>
  profile !== undefined ||
  CREDENTIAL_VARIABLES.some((name) => env[name]) ||
  ['credentials', 'config'].some((file) => existsSync(join(env.HOME ?? '', '.aws', file)));
