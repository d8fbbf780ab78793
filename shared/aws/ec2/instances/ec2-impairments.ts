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

/** EC2 filters by one of these at a time: what passes two filters has failed both checks. */
const STATUS_FILTERS: readonly Filter[] = [
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
  {
    Name: 'event.code',
    Values: [
      'instance-reboot',
      'system-reboot',
      'system-maintenance',
      'instance-retirement',
      'instance-stop',
    ],
  },
];

/**
 * What EC2's own checks find in the instances of the region, and what it has scheduled for them. Who
 * may not ask is told once, and EC2 is not asked again: a policy is not mended by the minute.
 */
export function ec2Impairments(ec2: EC2Client, log: Log): () => Promise<readonly Impairment[]> {
  let isAuthorized = true;

  return async () => {
    if (!isAuthorized) return [];
    try {
      const found = await Promise.all(STATUS_FILTERS.map((filter) => describe(ec2, filter)));
      const byId = new Map(found.flat().map((one) => [one.InstanceId, one]));
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
  const pages = paginateDescribeInstanceStatus(
    { client: ec2, pageSize: 1000 },
    { Filters: [filter] },
  );
  const statuses: InstanceStatus[] = [];
  for await (const { InstanceStatuses = [] } of pages) statuses.push(...InstanceStatuses);
  return statuses;
}

/** Volumes have checks of their own, which are left out: a node may have others that work. */
function toImpairments(status: InstanceStatus): readonly Impairment[] {
  const { InstanceId = '', AvailabilityZone = '', Events = [] } = status;
  const providerId = toProviderId(AvailabilityZone, InstanceId);
  // EC2 goes on showing an event for a week after it is over.
  const isScheduled = Events.some(
    ({ Description = '' }) => !/^\[(Completed|Canceled)\]/.test(Description),
  );
  return [
    ...listFailedChecks(providerId, 'system_status', status.SystemStatus),
    ...listFailedChecks(providerId, 'instance_status', status.InstanceStatus),
    ...(isScheduled ? [{ providerId, cause: 'event_status' as const }] : []),
  ];
}

/** A check that fails says since when. */
const listFailedChecks = (
  providerId: string,
  cause: ImpairmentCause,
  { Details = [] }: InstanceStatusSummary = {},
): readonly Impairment[] =>
  Details.flatMap(({ Status, ImpairedSince }) =>
    Status === 'failed' && ImpairedSince
      ? [{ providerId, cause, since: ImpairedSince.getTime() }]
      : [],
  );
