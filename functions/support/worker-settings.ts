import * as z from 'zod/mini';
import type { StackSettings } from '../../shared/composition/settings.ts';
import type { Environment } from '../../shared/settings/setting.ts';
import { CLASSES } from '../../shared/settings/tables/classes.ts';
import { parseSettings, type QueueUrls, queueFields, queuesOf, readTable, TEXT } from './settings.ts';

const workerSchema = z.object({
  ...queueFields,
  CLUSTER_NAME: TEXT,
  AWS_REGION: TEXT,
  CLUSTER_ENDPOINT: z.url(),
  CLUSTER_CA: TEXT,
  STATE_TABLE: TEXT,
  SNAPSHOT_BUCKET: TEXT,
  // Only the node-class function reads it; EKS knows it as well.
  SERVICE_CIDR: z.optional(TEXT),
  REDACT_NAMES: z.optional(z.enum(['true', 'false'])),
  // Table of learned facts that clusters may share.
  LEARNED_TABLE: z.optional(TEXT),
});

export interface WorkerSettings extends StackSettings {
  /** True if records have hashes in the place of names. */
  readonly redactsNames?: true;
  readonly queues: QueueUrls;
}

/** @throws SettingsError - names every variable that is missing or wrong */
export function readWorkerSettings(environment: Environment): WorkerSettings {
  const settings = parseSettings(workerSchema, environment);
  const { isIsolated, isDryRunOff, followsShifts, volumeKeys } = readTable(CLASSES, environment);
  return {
    cluster: settings.CLUSTER_NAME,
    region: settings.AWS_REGION,
    endpoint: settings.CLUSTER_ENDPOINT,
    certificateAuthority: Buffer.from(settings.CLUSTER_CA, 'base64').toString(),
    table: settings.STATE_TABLE,
    bucket: settings.SNAPSHOT_BUCKET,
    ...(settings.SERVICE_CIDR !== undefined && { serviceCidr: settings.SERVICE_CIDR }),
    ...(isIsolated && { isIsolated }),
    ...(isDryRunOff && { isDryRunOff }),
    ...(volumeKeys.length > 0 && { volumeKeys }),
    ...(settings.REDACT_NAMES === 'true' && { redactsNames: true }),
    ...(followsShifts && { followsShifts }),
    ...(settings.LEARNED_TABLE !== undefined && { learnedTable: settings.LEARNED_TABLE }),
    queues: queuesOf(settings),
  };
}
