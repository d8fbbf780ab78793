import * as z from 'zod/mini';
import { type Environment, parseSettings } from '../support/settings.ts';

const schema = z.object({
  AWS_REGION: z.string().check(z.minLength(1)),
  SNAPSHOT_BUCKET: z.string().check(z.minLength(1)),
  ISOLATED_VPC: z.optional(z.enum(['true', 'false'])),
});

export interface RefreshSettings {
  readonly region: string;
  readonly bucket: string;
  /** The VPC cannot reach the price list API, so that prices are not refreshed. */
  readonly isIsolated: boolean;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readRefreshSettings(environment: Environment): RefreshSettings {
  const { AWS_REGION, SNAPSHOT_BUCKET, ISOLATED_VPC } = parseSettings(schema, environment);
  return { region: AWS_REGION, bucket: SNAPSHOT_BUCKET, isIsolated: ISOLATED_VPC === 'true' };
}
