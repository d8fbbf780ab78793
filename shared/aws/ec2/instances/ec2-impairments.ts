import {
  type EC2Client,
  EC2ServiceException,
  type Filter,
  type InstanceStatus,
  type InstanceStatusSummary,
  paginateDescribeInstanceStatus,
} from '@aws-sdk/client-ec2';
import type { Impairment, ImpairmentCause } from '../../../model/nodes/interruption.ts';
import type { Log } from '../../log.ts';
import { toProviderId } from './ec2-instances.ts';

/** EC2 combines filters with AND, so each filter is a request of its own. */
const STATUS_FILTERS: readonly Filter[] = [
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
  {
    Name: 'event.code',
    Values: ['instance-reboot', 'system-reboot', 'system-maintenance', 'instance-retirement', 'instance-stop'],
  },
];

/**
 * Lists failed status checks and scheduled events of the region's instances. If EC2 denies the
 * request, logs it once and stops, because the policy will not change within minutes.
 */
export function ec2Impairments(ec2: EC2Client, log: Log): () => Promise<readonly Impairment[]> {
  let isAuthorized = true;

  return async () => {
    if (!isAuthorized) return [];
    try {
      const statuses = await Promise.all(STATUS_FILTERS.map((filter) => describe(ec2, filter)));
      const byId = new Map(statuses.flat().map((one) => [one.InstanceId, one]));
      return [...byId.values()].flatMap(toImpairments);
    } catch (error) {
      if (!(error instanceof EC2ServiceException)) throw error;
      if (error.name !== 'UnauthorizedOperation') throw error;
      isAuthorized = false;
      const { message } = error;
      log({ level: 'error', message: 'instance status not checked', fields: { error: message } });
      return [];
    }
  };
}

async function describe(ec2: EC2Client, filter: Filter): Promise<readonly InstanceStatus[]> {
  const pages = paginateDescribeInstanceStatus({ client: ec2, pageSize: 1000 }, { Filters: [filter] });
  const statuses: InstanceStatus[] = [];
  for await (const { InstanceStatuses = [] } of pages) statuses.push(...InstanceStatuses);
  return statuses;
}

/** Leaves out the checks of volumes: the node may have other volumes that work. */
function toImpairments(status: InstanceStatus): readonly Impairment[] {
  const { InstanceId = '', AvailabilityZone = '', Events = [] } = status;
  const providerId = toProviderId(AvailabilityZone, InstanceId);
  // EC2 shows an event for a week after it is over.
  const isScheduled = Events.some(({ Description = '' }) => !/^\[(Completed|Canceled)\]/.test(Description));
  return [
    ...listFailedChecks(providerId, 'system_status', status.SystemStatus),
    ...listFailedChecks(providerId, 'instance_status', status.InstanceStatus),
    ...(isScheduled ? [{ providerId, cause: 'event_status' as const }] : []),
  ];
}

/** A failed check has the time since when it fails. */
const listFailedChecks = (
  providerId: string,
  cause: ImpairmentCause,
  { Details = [] }: InstanceStatusSummary = {},
): readonly Impairment[] =>
  Details.flatMap(({ Status, ImpairedSince }) =>
    Status === 'failed' && ImpairedSince ? [{ providerId, cause, since: ImpairedSince.getTime() }] : [],
  );
