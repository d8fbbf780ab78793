import type { Io } from '../io.ts';

/** On unless somebody turns them off. */
const ON_BY_DEFAULT = ['ReservedCapacity'];

/** The feature gates of `FEATURE_GATES` and `AWS_FEATURE_GATES`: `NodeOverlay=true,NodeRepair=false`. */
export function gatesOf({
  FEATURE_GATES = '',
  AWS_FEATURE_GATES = '',
}: Io['env']): ReadonlySet<string> {
  const gates = new Set(ON_BY_DEFAULT);
  for (const pair of `${FEATURE_GATES},${AWS_FEATURE_GATES}`.split(',')) {
    const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
    if (value.toLowerCase() === 'true') gates.add(name);
    else gates.delete(name);
  }
  return gates;
}
