import { findConflict } from '../../model/requirements.ts';
import { untoleratedTaint } from '../../model/taints.ts';
import type { Alternative } from '../pods/relaxations.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';

/** Whether taints and labels of a node let pods onto it that are satisfied in this way. */
export const admits = (
  { taints, requirements }: Pick<ExistingBin, 'taints' | 'requirements'>,
  way: Pick<Alternative, 'tolerations' | 'requirements'>,
): boolean =>
  !untoleratedTaint(taints, way.tolerations) &&
  findConflict(requirements, way.requirements) === undefined;
