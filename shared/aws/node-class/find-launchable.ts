import { readEC2NodeClass } from '../../api/read-ec2-node-class.ts';
import { isReady } from '../../model/resolved-node-class.ts';
import type { NodeClasses } from '../../ports/node-classes.ts';
import type { FindNodeClass } from '../ec2-catalogue.ts';

/** Classes from their records: a launch never waits for what they stand for to be found out. */
export const findLaunchable =
  (nodeClasses: Pick<NodeClasses, 'find'>): FindNodeClass =>
  async (name) => {
    const resolved = await nodeClasses.find(name);
    if (!resolved || !isReady(resolved)) return undefined;
    const reading = readEC2NodeClass(name, resolved.written);
    return reading.outcome === 'read' ? { resolved, nodeClass: reading.value } : undefined;
  };
