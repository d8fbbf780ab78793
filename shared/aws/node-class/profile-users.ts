import { DescribeInstancesCommand, type EC2Client } from '@aws-sdk/client-ec2';

/** Whether any instance that is not terminated has the profile. */
export const isProfileUsed =
  (ec2: EC2Client) =>
  async (arn: string): Promise<boolean> => {
    const { Reservations = [] } = await ec2.send(
      new DescribeInstancesCommand({
        Filters: [
          { Name: 'iam-instance-profile.arn', Values: [arn] },
          {
            Name: 'instance-state-name',
            Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'],
          },
        ],
        MaxResults: 5,
      }),
    );
    return Reservations.length > 0;
  };
