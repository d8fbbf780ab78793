import { expect } from 'vitest';
import { cloudContract } from '../../contracts/cloud-contract.ts';
import { aNodeClaim, aNodePool } from '../../support/builders.ts';
import { aCloud } from './cloud.ts';

cloudContract('EC2', async () => {
  const { ec2, cloud } = aCloud(({ InstanceType }) =>
    InstanceType === 'm7i.8xlarge' ? 'InsufficientInstanceCapacity' : undefined,
  );
  return {
    cloud,
    pool: aNodePool(),
    claim: aNodeClaim({ instanceTypes: ['m7i.large', 'm7i.2xlarge'] }),
    impossible: aNodeClaim({ name: 'general-2', instanceTypes: ['m7i.8xlarge'] }),
    waitUntilVisible: async () => {
      ec2.waitUntilVisible();
      expect(ec2.instances).toHaveLength(1);
    },
  };
});
