import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../terminal/io.ts';

/** Account and region; undefined fields are resolved by the SDK. */
export interface AwsFlags {
  readonly region?: string;
  readonly profile?: string;
}

/** Settings of every SDK client. */
export const toClientSettings = ({ region, profile }: AwsFlags): AwsFlags => ({
  ...(region !== undefined && { region }),
  ...(profile !== undefined && { profile }),
});

const CREDENTIAL_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/**
 * True if the SDK can find credentials without the instance metadata service, which takes seconds
 * to time out on other machines.
 */
export const hasCredentials = ({ env }: Pick<Io, 'env'>, { profile }: AwsFlags): boolean =>
  profile !== undefined ||
  CREDENTIAL_VARIABLES.some((name) => env[name]) ||
  ['credentials', 'config'].some((file) => existsSync(join(env.HOME ?? '', '.aws', file)));
