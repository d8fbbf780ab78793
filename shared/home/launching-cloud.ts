import type { EC2Client } from '@aws-sdk/client-ec2';
import type { FindNodeClass } from '../aws/ec2-catalogue.ts';
import { ec2Cloud } from '../aws/ec2-cloud.ts';
import { ec2Market } from '../aws/ec2-market.ts';
import type { Log } from '../aws/log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cloud } from '../ports/cloud.ts';
import type { UnavailableOfferings } from '../ports/unavailable-offerings.ts';
import type { LaunchHomeSettings } from './settings.ts';

export interface CloudParts {
  readonly ec2: EC2Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly findNodeClass: FindNodeClass;
}

/** EC2 with its market, as one home sees it. */
export function launchingCloud(
  { ec2, clock, log, unavailableOfferings, findNodeClass }: CloudParts,
  { cluster, region, zones, subnets, launchTemplateId }: LaunchHomeSettings,
): Cloud {
  const market = ec2Market(ec2, { zones, clock, log });
  return ec2Cloud(
    { ec2, clock, market, unavailableOfferings, findNodeClass },
    { cluster, region, subnets, launchTemplateId },
  );
}
