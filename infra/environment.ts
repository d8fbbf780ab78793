import type { SettingTable } from '../shared/settings/setting.ts';
import { DECISIONS } from '../shared/settings/tables/decisions.ts';
import type { EventIntake } from './constructs/event-intake.ts';
import type { WorkQueues } from './constructs/work-queues.ts';
import type { Foundation } from './foundation.ts';
import type { Variables } from './options/options.ts';

export function workerEnvironment(foundation: Foundation): Readonly<Record<string, string>> {
  const { options, table, snapshots, queues } = foundation;
  return {
    ...apiServerFacts(foundation),
    STATE_TABLE: table.tableName,
    SNAPSHOT_BUCKET: snapshots.bucketName,
    MONITORING: options.monitoring,
    ...(options.serviceCidr && { SERVICE_CIDR: options.serviceCidr }),
    ...(options.redactNames && { REDACT_NAMES: 'true' }),
    ...(options.learnedTable && { LEARNED_TABLE: options.learnedTable }),
    ...(options.eventKinds.length > 0 && {
      EVENT_KINDS: options.eventKinds.join(),
      EVENT_BUS: options.eventBus,
    }),
    ...queueAddresses(queues),
    ...options.variables,
  };
}

export function refreshEnvironment({
  options: { readsReservedInstances, variables },
  snapshots,
}: Foundation): Readonly<Record<string, string>> {
  const { committedCapacity } = DECISIONS;
  return {
    SNAPSHOT_BUCKET: snapshots.bucketName,
    ...(readsReservedInstances && pickVariables(variables, { committedCapacity })),
  };
}

function apiServerFacts({ options: { cluster }, facts }: Foundation): Readonly<Record<string, string>> {
  return {
    CLUSTER_NAME: cluster,
    CLUSTER_ENDPOINT: facts.endpoint,
    CLUSTER_CA: facts.certificateAuthority,
  };
}

/** The variables of the functions that set up the cluster, and place webhooks if there is an intake. */
export function setupEnvironment(
  foundation: Foundation,
  intake: EventIntake | undefined,
): Readonly<Record<string, string>> {
  const { hook } = foundation.options;
  return {
    ...apiServerFacts(foundation),
    STATE_TABLE: foundation.table.tableName,
    ...(intake && {
      HOOK_ADDRESS: hook?.address ?? intake.address,
      HOOK_CA: toBodies(hook?.certificateAuthority ?? ''),
      HOOK_TOKEN_SECRET: intake.token.secretArn,
      INTAKE_FUNCTION: intake.fn.functionName,
    }),
  };
}

/** The variables of the settings of a table. */
const pickVariables = (variables: Variables, table: SettingTable): Variables =>
  Object.fromEntries(
    Object.values(table).flatMap(({ variable }) => {
      const text = variables[variable];
      return text === undefined ? [] : [[variable, text]];
    }),
  );

export function queueAddresses(queues: WorkQueues): Readonly<Record<string, string>> {
  const { plan, disrupt, claim, sweep, interruption } = queues;
  return {
    PLAN_QUEUE: plan.queueUrl,
    DISRUPT_QUEUE: disrupt.queueUrl,
    CLAIM_QUEUE: claim.queueUrl,
    SWEEP_QUEUE: sweep.queueUrl,
    INTERRUPTION_QUEUE: interruption.queueUrl,
    CLASS_QUEUE: queues.class.queueUrl,
  };
}

/** The base64 of each certificate without the lines around it: a third less of Lambda's 4 KB. */
function toBodies(authorities: string): string {
  const pem = Buffer.from(authorities, 'base64').toString();
  const bodies = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g)];
  if (bodies.length === 0) return authorities;
  return bodies.map(([, body = '']) => body.replaceAll(/\s/g, '')).join(',');
}
