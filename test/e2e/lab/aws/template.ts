import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, valueAt } from '../json.ts';

/** A resource of the production stack, also if the lab leaves it out. */
export interface TemplateResource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** True if the local CloudFormation does not support the type. */
  readonly isLeftOut: boolean;
}

export function readTemplate(assembly: string, stack: string): readonly TemplateResource[] {
  const template: unknown = JSON.parse(
    readFileSync(join(assembly, `${stack}.template.json`), 'utf8'),
  );
  return entriesOf(valueAt(template, 'Resources')).map(([logicalId, resource]) => {
    const leftOut = valueAt(resource, 'Metadata', 'LeftOut');
    const original = leftOut ?? resource;
    return {
      logicalId,
      type: String(valueAt(original, 'Type')),
      properties: Object.fromEntries(entriesOf(valueAt(original, 'Properties'))),
      isLeftOut: leftOut !== undefined,
    };
  });
}
