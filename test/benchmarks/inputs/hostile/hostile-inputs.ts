import { createHostileSnapshot, type HostileInput } from './hostile-pods.ts';
import { POOL_INPUTS } from './many-pools.ts';
import { NODE_REQUIREMENT_INPUTS } from './node-requirements.ts';
import { RESOURCE_INPUTS } from './resources-and-volumes.ts';
import { TOPOLOGY_INPUTS } from './topology-rules.ts';

export const listHostileInputs = (): readonly HostileInput[] => [
  { name: 'none', snapshot: () => createHostileSnapshot([]) },
  ...NODE_REQUIREMENT_INPUTS,
  ...TOPOLOGY_INPUTS,
  ...RESOURCE_INPUTS,
  ...POOL_INPUTS,
];
