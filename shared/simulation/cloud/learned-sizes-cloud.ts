import { type LearnedSize, withSize } from '../../model/nodes/learned-sizes.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Cloud } from '../../ports/cloud.ts';
import type { LearnedSizes } from '../../ports/learned-state.ts';
import type { Clock } from '../../ports/ports.ts';

/** Image id of every simulated node. */
const SIMULATED_IMAGE_ID = 'ami-simulated';

/** Wraps the simulated EC2 so that its catalogue reports the sizes that nodes have shown. */
export function withLearnedSizes(cloud: Cloud, sizes: LearnedSizes, clock: Clock): Cloud {
  return {
    ...cloud,
    async catalogue(pools, overlays) {
      const [catalogue, learned] = await Promise.all([cloud.catalogue(pools, overlays), sizes.list(clock.now())]);
      if (learned.length === 0) return catalogue;
      const entries = pools.map(({ name, nodeClass }) => {
        const types = ownValue(catalogue.instanceTypes, name) ?? [];
        return [name, types.map((type) => applyLearnedSize(type, nodeClass.name, learned))] as const;
      });
      return { ...catalogue, instanceTypes: Object.fromEntries(entries) };
    },
    async launch(request) {
      const answer = await cloud.launch(request);
      const [claim] = request.claims;
      return claim ? { ...answer, launches: answer.launches.map(markSetup(claim)) } : answer;
    },
  };
}

/** Adds image and NodeClass to the launch: learned sizes are stored by them. */
const markSetup =
  ({ nodeClass }: NodeClaim) =>
  (launch: Launch): Launch => ({ ...launch, imageId: SIMULATED_IMAGE_ID, setup: nodeClass.name });

function applyLearnedSize(
  type: InstanceType,
  setup: NodePool['nodeClass']['name'],
  learned: readonly LearnedSize[],
): InstanceType {
  const size = learned.find((one) => one.instanceType === type.name && one.setup === setup);
  return size ? withSize(type, size) : type;
}
