import { listOf, object, oneOf } from '../schema/fields.ts';
import { instant, taintKey, taintValue } from './scalars.ts';

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export const taints = (description: string) =>
  listOf(
    description,
    object('A mark that keeps pods away unless they tolerate it.', {
      required: {
        key: taintKey('The taint that pods tolerate by this name.'),
        effect: oneOf('What happens to pods that do not tolerate it.', TAINT_EFFECTS),
      },
      optional: {
        value: taintValue('The value that goes with the key.'),
        timeAdded: instant('When a taint was put on; without meaning here.'),
      },
    }),
    { listType: 'atomic' },
  );
