import * as z from 'zod/mini';
import { DECISIONS } from '../../shared/settings/tables/decisions.ts';
import { type Environment, parseSettings, readTable, TEXT } from '../support/settings.ts';

const schema = z.object({ AWS_REGION: TEXT, SNAPSHOT_BUCKET: TEXT });

export interface RefreshSettings {
  readonly region: string;
  readonly bucket: string;
  /** The part of the account's reserved instances to use; `undefined` if they are not read. */
  readonly accountShare?: number;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readRefreshSettings(environment: Environment): RefreshSettings {
  const { AWS_REGION: region, SNAPSHOT_BUCKET: bucket } = parseSettings(schema, environment);
  const { committedCapacity: capacity } = DECISIONS;
  const { accountShare } = readTable({ capacity }, environment).capacity ?? {};
  return { region, bucket, ...(accountShare !== undefined && { accountShare }) };
}
