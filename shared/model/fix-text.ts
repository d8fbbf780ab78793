import type { Fix } from './plans.ts';

/** The change as a sentence: `raise limits.cpu of NodePool general to 52 (+$0.1632/h)`. */
export function fixText({ kind, object, path, from, to, hourlyUsd }: Fix): string {
  const [type = '', name = ''] = object.split('/');
  const cost = hourlyUsd > 0 ? ` (+$${hourlyUsd.toFixed(4)}/h)` : '';
  switch (kind) {
    case 'raise-limit':
      return `raise ${path.replace(/^spec\./, '')} of ${type} ${name} to ${to}${cost}`;
    case 'add-toleration':
      return `let ${type} ${name} tolerate ${to}${cost}`;
    case 'rename-label':
      return `select ${to} instead of ${from ?? 'it'} in ${path} of ${type} ${name}${cost}`;
    case 'drop-requirement':
      return `drop ${path} of ${type} ${name}: ${from}${cost}`;
    case 'add-label':
      return `add label ${to} to ${path} of ${type} ${name}${cost}`;
    case 'create-volume-claim':
      return `create ${type} ${to}${cost}`;
    case 'wait':
      return `wait: EC2 is asked again at ${to}${cost}`;
    case 'allow-values':
    case 'lower-min-values':
      return `set ${path} of ${type} ${name} to ${to}${cost}`;
  }
}
