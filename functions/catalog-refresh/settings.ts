import * as z from 'zod/mini';
import { readCommittedCapacity } from '../../shared/api/committed-capacity.ts';
import { type Environment, parseSettings } from '../support/settings.ts';

const schema = z.object({
  AWS_REGION: z.string().check(z.minLength(1)),
  SNAPSHOT_BUCKET: z.string().check(z.minLength(1)),
  COMMITTED_CAPACITY: z.optional(z.string()),
});

export interface RefreshSettings {
  readonly region: string;
  readonly bucket: string;
  /** The part of the account's reserved instances to use; `undefined` if they are not read. */
  readonly accountShare?: number;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readRefreshSettings(environment: Environment): RefreshSettings {
  const settings = parseSettings(schema, environment);
  const { AWS_REGION, SNAPSHOT_BUCKET, COMMITTED_CAPACITY = '' } = settings;
  const committed = readCommittedCapacity(COMMITTED_CAPACITY, JSON.parse);
  const accountShare = committed.outcome === 'read' ? committed.accountShare : undefined;
  return {
    region: AWS_REGION,
    bucket: SNAPSHOT_BUCKET,
    ...(accountShare !== undefined && { accountShare }),
  };
}
